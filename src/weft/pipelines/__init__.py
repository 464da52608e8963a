"""Pipelines as data: reading them strictly, their prompts, and what reviews answer. Pure: text in, values out."""
