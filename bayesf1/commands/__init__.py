"""The commands of the command line, one a module.

A new one has ``ABOUT``, ``EXAMPLE``, its options as ``GROUPS`` by the heading they stand under, and ``run(args)``, and
stands in the list `COMMANDS` of `bayesf1.commands.main`. Options are shared in `options`, reading in `inputs`, delivery in
`output`; the package itself imports a module when a name of it is first used, so that help is quick.
"""
