"""Live sources and sinks in one process: files that grow, sockets, webhooks, MQTT. See `protocol`."""
