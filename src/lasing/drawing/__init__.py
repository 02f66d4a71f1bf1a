"""Pictures and tables as text: SVG and HTML that suit light pages, dark pages and paper."""
