"""The end of `weft compare`: answers side by side, and what the judge made of them."""

from __future__ import annotations

import asyncio
import sys

import click
import msgspec

from weft.board.judgement import Judgement, judgement_document, judgement_of
from weft.board.task_results import TaskResult, counts_of
from weft.cli.drive_tasks import Finished, Show, document, print_document, print_table, print_total
from weft.terminal.plain import plain
from weft.terminal.screen import size_of
from weft.terminal.side_by_side import Column, side_by_side
from weft.terminal.tasks import status_word


async def conclude_compare(finished: Finished, show: Show) -> None:
    """The judge is not one of the tasks: it is told of apart."""
    answers = [result for result in finished.results if result.facts.index >= 0]
    judges = [result for result in finished.results if result.facts.index < 0]
    apart = msgspec.structs.replace(finished, results=answers, counts=counts_of(answers, len(answers)))
    judgement = await _judgement(finished, judges[0], answers) if judges else None
    match show:
        case Show.JSON:
            judged = {"judge": judgement_document(judgement, answers)} if judgement else {}
            print_document(await document(apart) | judged)
        case Show.QUIET:
            print_total(apart)
        case Show.LINES:
            await _print_answers(apart)
            if judgement is not None:
                _print_judgement(judgement, answers)
            print_table(apart)
            print_total(apart)


async def _judgement(finished: Finished, judge: TaskResult, answers: list[TaskResult]) -> Judgement:
    said = await asyncio.to_thread(finished.outputs.whole, judge)
    return judgement_of(judge, answers, said)


async def _print_answers(finished: Finished) -> None:
    said = [await asyncio.to_thread(finished.outputs.whole, result) for result in finished.results]
    columns = [
        Column(f"{result.backend} ({status_word(result)}, {result.duration:.2f}s)", text or result.error or "")
        for result, text in zip(finished.results, said, strict=True)
    ]
    click.echo("")
    for line in side_by_side(columns, size_of(sys.stdout)[0]):
        click.echo(line)


def _print_judgement(judgement: Judgement, answers: list[TaskResult]) -> None:
    known = {answer.key: answer.backend for answer in answers}
    click.echo("")
    if judgement.ranking is None:
        click.echo(plain(f"Judge {judgement.backend}: {judgement.error}"))
        return
    click.echo(plain(f"Judge {judgement.backend}: {judgement.reason}".rstrip(": ")))
    for place, key in enumerate(judgement.ranking, 1):
        click.echo(plain(f"{place}. {known[key]}"))
