"""What was measured, as tables, pictures and pages."""
