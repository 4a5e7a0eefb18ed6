"""Client of a Countersign vault. Nothing is imported here: take what you need from its modules."""
