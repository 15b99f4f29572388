"""Forms of a report. Each is a projection: the report's own data is the evidence."""
