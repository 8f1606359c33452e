"""The commands of the command line, one a module.

A new one exposes ``add(commands)``, which registers its options (`bayesf1.commands.options.add_command`, help with an
example) and its ``run(args)``, and stands in the list `COMMANDS` of `bayesf1.commands.main`. Reading is shared in `inputs`,
delivery in `output`; heavy imports happen inside ``run``, so that help is quick.
"""
