"""Every sentence that a reader of an answer sees: a module for each verb, and some shared by several verbs."""
