"""The kinds of tables and figures; `quadrepro.config.tables.KINDS` names them all."""
