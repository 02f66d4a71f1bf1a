-- Rooms in which it was hot in the last five time points.
CREATE STREAM readings (sensor VARCHAR NOT NULL, celsius DOUBLE, ts BIGINT, TIME ts);
CREATE TABLE rooms (sensor VARCHAR NOT NULL, room VARCHAR NOT NULL);
INSERT INTO rooms VALUES ('s1', 'kitchen'), ('s2', 'kitchen'), ('s3', 'hall');

SELECT room, COUNT(*) AS readings, MAX(celsius) AS hottest
FROM readings [RANGE 5] JOIN rooms USING (sensor)
GROUP BY room
HAVING MAX(celsius) > 30;
