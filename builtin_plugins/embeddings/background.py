"""Questions and answers of which none fits another: how near a model holds what has nothing in common."""

QUESTIONS = (
    "When does the ferry leave on Sundays?",
    "Who repairs the boiler in the cellar?",
    "How many eggs go into the dough?",
    "Which form do I need for parental leave?",
    "What did the auditors say about the stock?",
    "Wanneer wordt het oud papier opgehaald?",
    "Why was the match stopped after half an hour?",
    "Hoe lang blijft een wachtwoord geldig?",
    "Where can visitors leave their car?",
    "What does the telescope see at night?",
    "Wie betaalt de reparatie van de lift?",
    "How is a wound on the knee cleaned?",
)
ANSWERS = (
    "Bees return to the hive before rain. Their dance tells the others how far away the lime trees are "
    "that have begun to flower, and in which direction from the sun.",
    "De dijk werd in drie zomers verhoogd. Klei kwam per schip uit het oosten, en aan de landzijde "
    "legde men een strook gras waar 's winters schapen op lopen.",
    "The violin was built in a small workshop. Its belly is of spruce, its back of maple, and the "
    "varnish has lost most of its red where the player's hand has rested.",
    "A loan with a fixed rate costs the same each month until its term ends. Whoever pays it off "
    "earlier owes the bank a part of the interest that it loses.",
    "The new compiler removes branches that are never taken. Programs with many small functions gain "
    "most, as calls between them disappear altogether.",
    "In de zestiende eeuw dreef de stad handel in laken. De kooplieden lieten hallen bouwen waarvan de "
    "gewels nu als markt en als concertzaal worden gebruikt.",
    "Granite forms deep below the surface, where molten rock cools for a long time. Its crystals are "
    "large enough to be told apart with the naked eye.",
    "The novel follows two sisters over forty years. One of them stays on the farm, the other becomes a "
    "pilot, and letters are nearly all that they know of each other.",
    "Kittens open their eyes after about nine days. In the weeks that follow they learn from one "
    "another how hard they may bite without ending the game.",
    "Bij vorst wordt het asfalt stroef gehouden met zout. De wagens rijden voor de spits uit, en "
    "fietspaden krijgen een pekeloplossing omdat die beter blijft liggen.",
    "The court held that the sign was not misleading. A customer who reads it with ordinary care knows "
    "that the price is for one person and excludes the tax.",
    "Our knitting group meets in the library. Wool and needles are there to be borrowed, and those who "
    "have never held any are shown the first stitches.",
)
