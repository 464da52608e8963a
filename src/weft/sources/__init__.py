"""Where issues come from: a folder of Markdown files, the command line."""
