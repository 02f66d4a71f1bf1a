"""The jobs in each peer's own words. Each script runs in that peer's environment and imports nothing of lasing.

A script gets the name of a job, the folder with the input, and the path of its result: a CSV file, or a folder of them.
"""
