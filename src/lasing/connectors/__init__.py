"""Sources and sinks: facts in, answers out, in each format that is read or written."""
