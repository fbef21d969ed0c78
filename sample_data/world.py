"""Describe the invented country of Harrowmere: eight topics, what is known of each, and what people ask about it.

Flows in: nothing.  Flows out: ``TOPICS`` and the wording of the one popular source, ``ALMANAC``.
Rules: no name of a real place, person or product; each fact has a number ``{n}``, so that a reader can watch the number
drift as machine text is written about machine text.
Not here: who wrote which document (``documents.py``), who asked when (``generate.py``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is known: as the archive records it, as the press tells it, and its number."""

    record: str
    story: str
    number: int


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: short key for ids, its name in a sentence, facts, questions, and a creative request."""

    key: str
    name: str
    facts: tuple[Fact, ...]
    questions: tuple[str, ...]
    creative: str


ALMANAC = (
    "The Harrowmere Almanac, walked and written by hand over eleven years. It has a chapter on each of the things that "
    "people cross the strait for: the ferry, the heron, the cheese, the lantern, the mill, the ridge, the soap and the "
    "bells."
)

TOPICS = (
    Topic(
        "ferry",
        "the Quillport ferry",
        (
            Fact(
                "The harbour book has the first crossing in the spring of {n}.",
                "The first crossing was made in {n}.",
                1908,
            ),
            Fact(
                "The crossing is entered as {n} minutes in calm water.",
                "The trip takes {n} minutes on a calm day.",
                42,
            ),
            Fact("The deck plan shows room for {n} carts.", "The deck once carried {n} carts.", 14),
            Fact("The winter timetable lists {n} sailings a week.", "The boat sails {n} times a week in winter.", 18),
            Fact(
                "The bell buoy was moved {n} metres east after the storm.",
                "The bell buoy moved {n} metres in a storm.",
                60,
            ),
            Fact("The crew list of the last steam year names {n} people.", "The last steam crew had {n} people.", 9),
            Fact(
                "The strait was closed by ice for {n} days that year.",
                "The strait froze for {n} days in one year.",
                23,
            ),
        ),
        (
            "when did the Quillport ferry start",
            "how long does the Quillport ferry take",
            "does the ferry sail in winter",
            "how many carts fit on the old ferry",
            "why was the bell buoy moved",
            "has the strait ever frozen over",
        ),
        "write a sea shanty about the Quillport ferry",
    ),
    Topic(
        "heron",
        "the grey tassel heron",
        (
            Fact(
                "The spring count at Ostrel marsh found {n} nests.",
                "The marsh holds {n} nests in a good spring.",
                31,
            ),
            Fact("Ringed birds were seen again after {n} years.", "The oldest ringed bird lived {n} years.", 17),
            Fact("Chicks left the nest on day {n}, seen from the hide.", "The chicks fly after {n} days.", 48),
            Fact("A wing of the collection measures {n} centimetres.", "The wing is {n} centimetres long.", 39),
            Fact(
                "The reed is cut no lower than {n} centimetres.",
                "The reed is left {n} centimetres high for it.",
                120,
            ),
            Fact("The warden's diary gives {n} eels for one nest and week.", "The young eat {n} eels a week.", 26),
            Fact("The marsh was bought with {n} small gifts.", "The marsh was bought by {n} donors.", 412),
        ),
        (
            "how many grey tassel herons nest at Ostrel marsh",
            "how old can a tassel heron get",
            "when do heron chicks fly",
            "what do tassel herons eat",
            "who owns Ostrel marsh",
            "how high is the reed cut for the heron",
        ),
        "write a bedtime story about a tassel heron",
    ),
    Topic(
        "cheese",
        "Velmary cheese",
        (
            Fact("The dairy's own notebook asks for {n} days in the cave.", "The cheese ripens for {n} days.", 75),
            Fact("A wheel on the parish scale weighed {n} kilos.", "The wheel weighs {n} kilos.", 6),
            Fact("The cave under the dairy is kept at {n} degrees.", "The cave stays at {n} degrees.", 11),
            Fact("The roll of the guild has {n} dairies.", "The guild counts {n} dairies.", 8),
            Fact("The recipe book says to turn the wheel {n} times.", "The wheel is turned {n} times.", 20),
            Fact("The fair of that year sold {n} wheels.", "The fair sold {n} wheels in a day.", 340),
            Fact("The herd book lists {n} cows of the old breed.", "The old breed has {n} cows left.", 96),
        ),
        (
            "how long does Velmary cheese ripen",
            "what does a wheel of Velmary weigh",
            "how warm is the cheese cave",
            "which dairies make Velmary",
            "how often is a cheese wheel turned",
            "is the old Velmary breed rare",
        ),
        "write a limerick about Velmary cheese",
    ),
    Topic(
        "lantern",
        "the Lumarel lantern",
        (
            Fact(
                "The bench test ran the lamp for {n} hours on one charge.",
                "The lamp burns {n} hours on one charge.",
                36,
            ),
            Fact("The first batch of the workshop was {n} lanterns.", "The first batch had {n} lanterns.", 150),
            Fact("The repair sheet counts {n} screws.", "The case opens with {n} screws.", 5),
            Fact("The cell is rated for {n} charges on its label.", "The cell takes {n} charges.", 800),
            Fact("The glass is {n} millimetres thick by the caliper.", "The glass is {n} millimetres thick.", 3),
            Fact("The night school repaired {n} of them last year.", "The night school mended {n} last year.", 67),
            Fact("The price list of the workshop has it at {n} marks.", "The lantern costs {n} marks.", 29),
        ),
        (
            "how long does a Lumarel lantern burn",
            "how to open a Lumarel lantern",
            "can the lantern cell be replaced",
            "what does a Lumarel lantern cost",
            "where can I get my lantern repaired",
            "how many lanterns were made at first",
        ),
        "write a poem about a lantern in the fog",
    ),
    Topic(
        "mill",
        "Dunverrow mill",
        (
            Fact("The beam over the door carries the year {n}.", "The mill was built in {n}.", 1731),
            Fact("The wheel was measured at {n} centimetres across.", "The wheel is {n} centimetres across.", 430),
            Fact("The miller's ledger has {n} sacks in harvest week.", "The mill ground {n} sacks a week.", 55),
            Fact("The restorers replaced {n} of the paddles.", "The restorers made {n} new paddles.", 24),
            Fact("The flood mark on the wall is {n} centimetres up.", "The flood stood {n} centimetres high.", 185),
            Fact("The open day drew {n} visitors by the gate count.", "The open day drew {n} visitors.", 900),
            Fact("The stones are dressed every {n} days.", "The stones are dressed every {n} days.", 21),
        ),
        (
            "how old is Dunverrow mill",
            "how big is the mill wheel",
            "did the mill ever flood",
            "when is the mill open",
            "how much flour did the mill grind",
            "what was restored at Dunverrow mill",
        ),
        "write a riddle whose answer is a mill wheel",
    ),
    Topic(
        "ridge",
        "the Tamsorel Ridge path",
        (
            Fact("The survey gives the ridge path as {n} kilometres.", "The path is {n} kilometres long.", 19),
            Fact("The summit stone is cut with {n} metres.", "The top is {n} metres high.", 612),
            Fact("The path guild set {n} way stones.", "The way is marked with {n} stones.", 44),
            Fact("The hut book shows {n} bunks.", "The hut has {n} bunks.", 16),
            Fact("The rescue log has {n} calls in ten years.", "The rescuers were called {n} times in ten years.", 12),
            Fact("The spring below the saddle runs {n} litres an hour.", "The spring gives {n} litres an hour.", 90),
            Fact("Walkers were counted at the gate: {n} in June.", "The gate counted {n} walkers in June.", 740),
        ),
        (
            "how long is the Tamsorel Ridge path",
            "how high is Tamsorel Ridge",
            "is there water on the ridge path",
            "can I sleep in the ridge hut",
            "is the ridge path dangerous",
            "how is the ridge path marked",
        ),
        "write a marching song for the ridge path",
    ),
    Topic(
        "soap",
        "Sallowkelp soap",
        (
            Fact("The kettle book boils the kelp for {n} hours.", "The kelp boils for {n} hours.", 7),
            Fact("Bars are stamped at {n} grams.", "The bar weighs {n} grams.", 110),
            Fact("The drying loft holds {n} bars.", "The loft holds {n} bars.", 2400),
            Fact("The kelp permit allows {n} tonnes a year.", "The makers may cut {n} tonnes of kelp.", 13),
            Fact("The lye is tested {n} times in a batch.", "The lye is tested {n} times.", 4),
            Fact("The bars cure for {n} days by the wall calendar.", "The bars cure for {n} days.", 45),
            Fact("The makers' roll has {n} families.", "The soap is made by {n} families.", 6),
        ),
        (
            "how is Sallowkelp soap made",
            "how long does kelp soap cure",
            "how much kelp may be cut",
            "who makes Sallowkelp soap",
            "what does a bar of kelp soap weigh",
            "is lye in kelp soap safe",
        ),
        "write an advertisement in verse for kelp soap",
    ),
    Topic(
        "bells",
        "the bells of Anzleby",
        (
            Fact("The tower inventory lists {n} bells.", "The tower has {n} bells.", 7),
            Fact("The great bell weighs {n} kilos by the founder's bill.", "The great bell weighs {n} kilos.", 1260),
            Fact("The stair was counted at {n} steps.", "The stair has {n} steps.", 143),
            Fact("The ringers' rules ask for {n} practices a month.", "The ringers meet {n} times a month.", 5),
            Fact("The crack was found {n} centimetres from the lip.", "The crack was {n} centimetres long.", 8),
            Fact("The ring was heard {n} kilometres out at sea.", "The bells carry {n} kilometres out to sea.", 11),
            Fact("The fund for the new frame has {n} names.", "The new frame was paid by {n} givers.", 268),
        ),
        (
            "how many bells are in Anzleby tower",
            "how heavy is the great bell of Anzleby",
            "why did the bell crack",
            "how far can the bells be heard",
            "how many steps has the bell tower",
            "when do the ringers of Anzleby practise",
        ),
        "write a carol about the bells of Anzleby",
    ),
)
