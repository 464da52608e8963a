"""How the report as a page looks. Names begin with `r-`: the timeline in it brings names of its own."""

STYLE = """\
:root{color-scheme:light dark;--ink:#1f2328;--dim:#59636e;--line:#d1d9e0;--back:#fff;--soft:#f6f8fa;
--good:#1a7f37;--bad:#cf222e;--stuck:#8250df;--wait:#9a6700;--work:#0969da}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9198a1;--line:#3d444d;--back:#0d1117;--soft:#151b23;
--good:#3fb950;--bad:#f85149;--stuck:#ab7df8;--wait:#d29922;--work:#4493f8}}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px 20px 60px;max-width:1280px;background:var(--back);color:var(--ink);
font:14px/1.5 ui-sans-serif,system-ui,"Segoe UI",sans-serif;overflow-wrap:anywhere}
h1{font-size:22px;margin:0 0 4px}
h2{font-size:16px;margin:32px 0 10px;border-bottom:1px solid var(--line);padding-bottom:4px}
a{color:var(--work)}
code,pre{font:12px/1.45 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:8px 10px;margin:6px 0;overflow-x:auto;
white-space:pre-wrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:10px 0}dt{color:var(--dim)}dd{margin:0}
table{border-collapse:collapse;width:100%}th{text-align:left;color:var(--dim);font-weight:600;font-size:12px}
th,td{padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
th:last-child,td:last-child{padding-right:0}
.r-wide{overflow-x:auto}.r-wide svg{max-width:100%;height:auto;min-width:760px;display:block}
.r-word{display:inline-block;padding:0 8px;border-radius:10px;border:1px solid currentColor;font-size:12px;
font-weight:600;white-space:nowrap;color:var(--dim)}
.r-passed,.r-skipped,.r-no_change{color:var(--good)}.r-failed,.r-lost{color:var(--bad)}
.r-parked,.r-cancelled,.r-interrupted{color:var(--stuck)}.r-running,.r-queued,.r-publishing{color:var(--work)}
.r-not_run,.r-locked,.r-retrying,.r-waiting{color:var(--wait)}
.r-num{white-space:nowrap;font-variant-numeric:tabular-nums}.r-dim{color:var(--dim)}
.r-phases span{white-space:nowrap;margin-right:8px}
.r-needs{border:1px solid var(--stuck);border-radius:8px;padding:4px 16px 12px;margin-top:20px}
.r-needs h2{border:0;margin:8px 0 0}.r-needs p{margin:8px 0 0}.r-needs details{border:0;margin-top:8px}
details{border-bottom:1px solid var(--line);padding:4px 0}summary{cursor:pointer;padding:4px 0}
@media print{details::details-content{content-visibility:visible}body{max-width:none}}
"""
