"""The experiment pipeline: every table, figure and number from evidence, one stage a module."""
