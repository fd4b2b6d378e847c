"""Sentences made from templates: what dictionaries' example sentences lack.

Numbers, prices, dates, times, abbreviations, names, spelled letters, questions, requests, lists, messages.
"""

from __future__ import annotations

import random
from collections.abc import Callable

FIRST_NAMES = """James Mary John Linda Robert Susan Michael Karen David Lisa William Nancy Richard Emma Thomas Olivia
Daniel Sophia Paul Grace Mark Helen George Anna Kevin Laura Brian Rachel Edward Alice Peter Jane Henry Julia Frank Diana
Oscar Sam Ben Tom Kate Lucy Noah Liam Mia Zoe Leo Max Ella Chloe Jack Harry Amy Sarah Adam Eve Maria Carlos Ahmed Yuki
Priya Ivan Omar Fatima Hannah Simon Victoria Elizabeth Charlotte Nathan Isaac Ruth Martha Joseph Albert""".split()
SURNAMES = """Smith Johnson Williams Brown Jones Garcia Miller Davis Wilson Anderson Taylor Moore Jackson Martin Lee
Thompson White Harris Clark Lewis Walker Hall Young King Wright Scott Green Baker Adams Nelson Carter Mitchell Turner
Parker Collins Edwards Stewart Morris Murphy Cook Rogers Reed Bailey Kelly Cooper Richardson Cox Ward Patel Singh
Campbell Robinson Hughes Evans Fisher Palmer Simpson Chapman""".split()
PLACES = """London|Paris|Berlin|Tokyo|New York|Chicago|Boston|Seattle|Denver|Dallas|Miami|Toronto|Sydney|Madrid|Rome
Dublin|Oslo|Vienna|Lisbon|Athens|Moscow|Beijing|Delhi|Cairo|Houston|San Francisco|Los Angeles|Philadelphia|Atlanta
Detroit|Portland|Phoenix|Amsterdam|Stockholm|Copenhagen|Edinburgh|Glasgow|Manchester|Vancouver|Montreal|Singapore
Bangkok|Mexico City|Brazil|Canada|France|Germany|Japan|India|China|Italy|Spain|England|Ireland|Australia|America
Europe|Africa|Asia|Bristol|Oxford|Cambridge|Wales|Scotland|New Zealand|Texas|California|Florida""".replace("\n", "|").split("|")
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
THINGS = """book car house phone table chair window door letter dog cat bird computer camera garden kitchen bottle glass
cup plate coffee tea bread cheese apple orange banana sandwich pizza soup salad ticket train bus plane bicycle boat
bridge river mountain lake beach forest road street shop market hotel restaurant school office hospital library museum
park station airport password message email file folder screen keyboard mouse button program report meeting project
plan idea question answer problem story song movie picture map clock watch shirt coat hat shoe bag box key lamp bed
pillow blanket mirror brush towel soap server battery charger parcel invoice contract recipe engine ladder""".split()
FOODS = """eggs milk bread butter rice onions tomatoes sugar flour salt pepper garlic carrots apples lemons chicken
fish pasta olive-oil honey yoghurt mushrooms spinach beans tea coffee""".replace("-", " ").split()
ADJECTIVES = """big small old new red blue green black white brown yellow long short tall heavy light warm cold hot cool
fast slow happy sad angry quiet loud bright dark clean dirty cheap expensive easy hard simple strange beautiful ugly
young rich poor strong weak sharp soft smooth rough fresh dry wet empty full open broken wonderful terrible important
different interesting boring friendly careful""".split()
VERBS = """see find open close buy sell bring take carry clean wash paint fix break lose keep use move send read write
draw show hide watch hear want need like love hate remember forget understand check change choose finish start stop
follow leave visit""".split()
ADVERBS = """quickly slowly carefully quietly early late today tomorrow yesterday tonight again soon later now always
never often sometimes usually probably certainly finally suddenly""".split()
PAST = "bought found lost sold broke forgot carried wanted needed liked painted borrowed".split()
RELATIVES = "brother sister mother father friend teacher boss neighbor uncle aunt daughter son wife husband".split()
SPELLED_NUMBERS = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty thirty forty fifty sixty ninety""".split() + ["a hundred", "a thousand", "two million"]
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth last next".split()
ACRONYMS = "NASA IBM FBI BBC USB PDF CEO DVD GPS UK US EU UN ATM FAQ URL HTML API CPU GPU PC TV DNA CIA MIT".split()
UNITS = "km kg cm mm lbs miles meters minutes hours seconds feet inches pounds degrees liters".split()
SHORT = """Yes. No. Hello. Hi. Hi! Hey! Goodbye. Thanks. Thanks! Please. Okay. OK. Sure. Maybe. Wait. Stop. Stop! Go. Go!
Help! Sorry. Really? Why? What? Who? Where? When? How? Right. Left. Up. Down. One. Two. Three. Done. Ready. Ready?
Error. Warning! Welcome. Bye. Oh. Wow! Great! Nice. Cool. Perfect. Exactly. Absolutely. Never. Always. Again. Next.
Start. Finish. Open. Close. Play. Pause. Continue. Cancel. Save. Delete. Download. Upload. Water. Nothing. Everything.
Everyone. Somebody. No! Yes! Yes? No? Run! Look! Listen. True. False. Correct. Wrong. Enough. Quiet! Attention!""".split()
SHORT += """Thank you.|Good morning.|Good night.|Good evening.|Good afternoon.|See you later.|See you soon.|Come here.
Go away.|Not yet.|Not now.|Of course.|Never mind.|No problem.|I know.|I see.|Let's go.|Hurry up.|Be careful.|Well done.
Come in.|Sit down.|Stand up.|Hello, world.|Hello there!|How are you?|What time is it?|What's your name?|Excuse me.
Where are you?|Who is there?|You're welcome.|Testing, one, two, three.|Welcome back.|Good luck!|Congratulations!
Happy birthday!|Merry Christmas!|Take care.|Ah, I see.|Coffee, please.|A test.|This is a test.|Just a moment, please.
I don't know.|I think so.|I'm not sure.|It's okay.|That's right.|That's wrong.|You too.|Me too.|I am.|It is.|So what?
Wait... what?|No way!|Oh no!|All right.|Me?|Try again.|Why not?|Me neither.|Happy New Year!""".replace("\n", "|").split("|")


class Templates:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.groups: tuple[tuple[float, Callable[[], str]], ...] = (
            (1.2, self.plain), (1.2, self.question), (1.0, self.quantity), (1.2, self.price), (1.2, self.date),
            (1.2, self.time), (0.9, self.abbreviation), (0.8, self.name), (0.6, self.spelling), (0.6, self.listing),
            (0.6, self.message), (0.5, self.number), (0.5, self.reply), (0.4, self.instruction), (0.6, self.technical),
        )

    def __call__(self) -> str:
        weights = [weight for weight, _ in self.groups]
        return self.random.choices(self.groups, weights)[0][1]()

    # -- pieces

    def of(self, *choices: str) -> str:
        return self.random.choice(choices)

    def pick(self, words: list[str]) -> str:
        return self.random.choice(words)

    def between(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def count(self) -> str:
        high = self.random.choices((20, 100, 999, 9999, 999999), (4, 4, 3, 1.5, 0.5))[0]
        value = self.between(2, high)
        if value <= 20 and self.random.random() < 0.4:
            return self.pick(SPELLED_NUMBERS)
        return f"{value:,}" if value > 9999 or self.random.random() < 0.5 else str(value)

    def things(self) -> str:
        thing = self.pick(THINGS)
        return thing[:-1] + "ies" if thing.endswith(("ry", "ty")) else thing + ("es" if thing.endswith(("s", "x", "sh", "ch")) else "s")

    def thing(self) -> str:
        return self.of("", self.pick(ADJECTIVES) + " ") + self.pick(THINGS)

    def person(self) -> str:
        full = f"{self.pick(FIRST_NAMES)} {self.pick(SURNAMES)}"
        titled = f"{self.of('Mr.', 'Mrs.', 'Ms.', 'Dr.', 'Prof.')} {self.pick(SURNAMES)}"
        return self.random.choices((self.pick(FIRST_NAMES), full, titled), (5, 3, 2))[0]

    def money(self) -> str:
        sign = self.random.choices("$£€", (6, 3, 1))[0]
        amount = self.between(1, self.random.choice((20, 100, 999, 9999)))
        form = self.random.random()
        if form < 0.4:
            return f"{sign}{amount}.{self.between(1, 99):02d}"
        if form < 0.75:
            return f"{sign}{amount:,}"
        if form < 0.87:
            return f"{sign}{self.between(1, 90)}{self.of('', '.5')} {self.of('million', 'billion', 'thousand')}"
        return f"{amount} {self.of('dollars', 'pounds', 'euros')}" + self.of("", f" and {self.between(2, 99)} cents")

    def clock(self) -> str:
        hour, minute = self.between(1, 12), self.between(0, 59)
        return self.of(f"{hour}:{minute:02d}", f"{hour}:{minute:02d} {self.of('am', 'pm', 'a.m.', 'p.m.', 'AM', 'PM')}",
                       f"{hour} {self.of('am', 'pm', 'a.m.', 'p.m.')}", f"{hour} o'clock", f"half past {self.pick(SPELLED_NUMBERS[:12])}",
                       f"{self.between(13, 23)}:{minute:02d}", f"{hour}:{self.of('00', '15', '30', '45')}{self.of('', ' pm', 'am')}")

    def day(self) -> str:
        month, day, year = self.pick(MONTHS), self.between(1, 31), self.year()
        suffix = "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
        return self.of(f"{month} {day}", f"{month} {day}{suffix}", f"{month} {day}, {year}", f"{month} {day}{suffix}, {year}",
                       f"{day} {month} {year}", f"the {day}{suffix} of {month}", f"{self.pick(WEEKDAYS)}, {month} {day}",
                       f"{self.between(1, 12)}/{self.between(13, 28)}/{self.between(1990, 2030)}", f"{month[:3]}. {day}")

    def year(self) -> int:
        return self.between(*self.random.choice(((1900, 1999), (2000, 2030), (1500, 1899))))

    def action(self) -> str:
        return f"{self.pick(VERBS)} the {self.thing()}"

    # -- kinds of sentences

    def plain(self) -> str:
        return self.of(
            f"{self.person()} {self.pick(PAST)} {self.count()} {self.pick(ADJECTIVES)} {self.things()} in {self.pick(PLACES)}.",
            f"My {self.pick(RELATIVES)} {self.of('has', 'had', 'wants', 'needs', 'likes')} a {self.pick(THINGS)} and a {self.pick(THINGS)}.",
            f"{self.person()} said that the {self.thing()} near the {self.pick(THINGS)} was too {self.pick(ADJECTIVES)}.",
            f"If you {self.action()}, {self.pick(FIRST_NAMES)} will {self.action()}.",
            f"I don't {self.action()}, but I {self.pick(VERBS)} the {self.pick(ADJECTIVES)} one.",
            f"We {self.of('will', 'should', 'could', 'must', 'might', 'can')} {self.action()} {self.pick(ADVERBS)}.",
            f"It {self.of('is', 'was')} a {self.pick(ADJECTIVES)} {self.of('day', 'night', 'morning', 'week', 'year')} in {self.pick(PLACES)}.",
            f"What a {self.pick(ADJECTIVES)} {self.pick(THINGS)}!", f"{self.pick(ADJECTIVES).capitalize()} {self.things()}.",
            f"They've {self.pick(PAST)} the {self.thing()}, haven't they?", f"She'd rather {self.action()} than {self.action()}.")

    def question(self) -> str:
        return self.of(
            f"Do you {self.action()}?", f"Did {self.pick(FIRST_NAMES)} {self.pick(VERBS)} my {self.thing()} {self.pick(ADVERBS)}?",
            f"Why did you {self.action()}, {self.pick(FIRST_NAMES)}?", f"Where is the {self.thing()} that you wanted to {self.pick(VERBS)}?",
            f"How many {self.things()} do you {self.pick(VERBS)} in {self.pick(PLACES)}?", f"Can you {self.pick(VERBS)} this {self.thing()} for me?",
            f"Who {self.pick(PAST)} the {self.thing()}?", f"When will {self.person()} {self.action()}?", f"Is it {self.clock()} already?",
            f"Are you coming to {self.pick(PLACES)} on {self.pick(WEEKDAYS)}?", f"Which {self.pick(THINGS)} is {self.pick(ADJECTIVES)}?",
            f"What would you do with {self.money()}?", f"Shall we {self.action()}, or should we {self.action()}?")

    def quantity(self) -> str:
        return self.of(
            f"There are {self.count()} {self.things()} and {self.count()} {self.things()}.", f"The number is {self.count()}.",
            f"{self.between(1, 99)} plus {self.between(1, 99)} is {self.between(2, 198)}.",
            f"About {self.between(1, 100)}{self.of('%', ' percent')} of the {self.things()} were {self.pick(ADJECTIVES)}.",
            f"The {self.pick(ORDINALS)} {self.pick(THINGS)} on the {self.of('left', 'right')} is {self.pick(ADJECTIVES)}.",
            f"The temperature is {self.between(-20, 110)} degrees in {self.pick(PLACES)}.", f"It weighs {self.between(2, 300)} {self.of('kg', 'lbs', 'pounds', 'grams')}.",
            f"We drove {self.count()} {self.of('km', 'miles')} in {self.between(2, 12)} hours.", f"It grew by {self.between(0, 20)}.{self.between(1, 9)}% in {self.year()}.",
            f"The {self.pick(THINGS)} is {self.between(2, 90)} {self.pick(UNITS)} away.", f"See pages {self.between(1, 90)} to {self.between(91, 300)}.",
            f"They won {self.between(2, 9)} to {self.between(0, 1)}.", f"Add {self.of('1/2', '1/4', '3/4', '2/3', 'half')} of a cup of {self.pick(FOODS)}.")

    def price(self) -> str:
        return self.of(
            f"The {self.thing()} costs {self.money()}.", f"That will be {self.money()}, please.", f"I paid {self.money()} for {self.count()} {self.things()}.",
            f"Is {self.money()} too much for a {self.thing()}?", f"The total is {self.money()}, and the tip is {self.money()}.",
            f"Prices start at {self.money()}.", f"They raised {self.money()} in {self.year()}.", f"It went from {self.money()} to {self.money()}.",
            f"You can save {self.between(5, 90)}% and pay only {self.money()}.")

    def date(self) -> str:
        return self.of(
            f"The meeting is on {self.day()}.", f"It happened on {self.day()}.", f"In {self.year()}, {self.person()} moved to {self.pick(PLACES)}.",
            f"{self.person()} was born on {self.day()} in {self.pick(PLACES)}.", f"The offer ends on {self.day()}.", f"From {self.year()} to {self.year()}, nothing changed.",
            f"Today is {self.pick(WEEKDAYS)}, {self.day()}.", f"We met in the {self.of('1950s', '1960s', '1970s', '1980s', '1990s')}.", f"Please reply by {self.day()}.",
            f"Is {self.day()} a holiday?")

    def time(self) -> str:
        return self.of(
            f"The {self.of('train', 'bus', 'flight', 'film', 'meeting', 'lesson')} {self.of('leaves', 'starts', 'ends')} at {self.clock()}.",
            f"Call me at {self.clock()}.", f"It is {self.clock()} in {self.pick(PLACES)}.", f"We are open from {self.clock()} to {self.clock()}.",
            f"Meet {self.person()} at {self.clock()} on {self.pick(WEEKDAYS)}.", f"At {self.clock()}, the {self.pick(THINGS)} was still {self.pick(ADJECTIVES)}.",
            f"Wake me up at {self.clock()}, not at {self.clock()}!", f"The alarm is set for {self.clock()} {self.of('tomorrow', 'on ' + self.pick(WEEKDAYS), 'every day')}.")

    def abbreviation(self) -> str:
        return self.of(
            f"Mr. {self.pick(SURNAMES)} and Mrs. {self.pick(SURNAMES)} live in {self.pick(PLACES)}.", f"Dr. {self.pick(SURNAMES)} will see you {self.of('now', 'soon', 'tomorrow')}.",
            f"Bring fruit, e.g. {self.pick(FOODS)} or {self.pick(FOODS)}.", f"The {self.pick(ADJECTIVES)} one, i.e. the {self.pick(THINGS)}, is mine.",
            f"Books, pens, {self.things()}, etc.", f"The {self.pick(ACRONYMS)} and the {self.pick(ACRONYMS)} agreed.", f"Send the {self.pick(ACRONYMS)} file to {self.person()}.",
            f"It is {self.pick(ADJECTIVES)} vs. {self.pick(ADJECTIVES)}.", f"He lives at {self.between(1, 300)} {self.pick(SURNAMES)} St.", f"She works for the U.S. {self.of('army', 'government', 'embassy')}.",
            f"Question No. {self.between(1, 50)} is {self.of('easy', 'hard')}.", f"St. {self.of('Paul', 'John', 'Mary')}'s is near the {self.pick(THINGS)}.", f"It takes approx. {self.between(2, 60)} minutes.")

    def name(self) -> str:
        return self.of(
            f"{self.pick(FIRST_NAMES)} {self.pick(SURNAMES)}.", f"Hello, {self.pick(FIRST_NAMES)}.", f"{self.pick(FIRST_NAMES)}?", f"My name is {self.pick(FIRST_NAMES)} {self.pick(SURNAMES)}.",
            f"Good {self.of('morning', 'evening', 'afternoon')}, {self.person()}! How was your {self.of('day', 'trip', 'weekend', 'meeting')}?",
            f"{self.pick(FIRST_NAMES)}, {self.pick(FIRST_NAMES)} and {self.pick(FIRST_NAMES)} went from {self.pick(PLACES)} to {self.pick(PLACES)} by {self.of('train', 'bus', 'car', 'plane')}.",
            f"Have you met {self.person()} from {self.pick(PLACES)}?", f"This is {self.person()} speaking.", f"{self.pick(PLACES)}.")

    def spelling(self) -> str:
        word = self.pick(FIRST_NAMES + THINGS)
        letters = self.of(", ", " ", "-").join(word.upper()) if len(word) < 8 else ", ".join(word.upper()[:5])
        code = "".join(self.random.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=2)) + self.of(" ", "-", "") + str(self.between(2, 99))
        return self.of(f"{word.capitalize()} is spelled {letters}.", f"The code is {code}.", f"Press {self.pick(list('BCDEFXYZ'))} to {self.pick(VERBS)}.",
                       f"Room {self.between(1, 40)}{self.pick(list('ABC'))} is on the {self.pick(ORDINALS[:6])} floor.", f"Flight {code} is late.",
                       f"Plan {self.pick(list('BCD'))} is {self.pick(ADJECTIVES)}.", f"Vitamin {self.pick(list('BCDE'))}.")

    def listing(self) -> str:
        foods = self.random.sample(FOODS, 4)
        return self.of(f"We need {foods[0]}, {foods[1]}, {foods[2]}, and {foods[3]}.", f"Buy {foods[0]}, {foods[1]} and {foods[2]}.",
                       f"First, {self.action()}; second, {self.action()}; third, {self.action()}.", f"Shopping list: {foods[0]}, {foods[1]}, {foods[2]}.",
                       f"{self.between(1, 9)}. {self.action().capitalize()}.", f"Three things matter: the {self.pick(THINGS)}, the {self.pick(THINGS)}, and the {self.pick(THINGS)}.")

    def message(self) -> str:
        return self.of(
            f"Hi {self.pick(FIRST_NAMES)}, thanks for your message.", f"Dear {self.person()}, please find the {self.pick(THINGS)} attached.", f"Best regards, {self.pick(FIRST_NAMES)}.",
            f"Could you send me the {self.thing()} by {self.pick(WEEKDAYS)}? Thanks, {self.pick(FIRST_NAMES)}.", f"Sorry for the delay; I was in {self.pick(PLACES)}.",
            f"Just a reminder: your {self.pick(THINGS)} is due on {self.day()}.", f"Hey {self.pick(FIRST_NAMES)}! Are you free at {self.clock()}?", "Let me know if you have any questions.",
            f"Your order of {self.count()} {self.things()} has been shipped.", f"P.S. Don't forget the {self.thing()}!", f"You have {self.between(2, 40)} new messages.")

    def number(self) -> str:
        return self.of(f"{self.between(0, 9999)}.", f"Chapter {self.between(1, 60)}.", f"Number {self.between(1, 999)}.", f"Call {self.between(200, 999)}-{self.between(1000, 9999)}.",
                       f"{self.count()} {self.things()}.", f"{self.money()}.", f"{self.clock()}.", f"{self.day()}.", f"{self.pick(SPELLED_NUMBERS).capitalize()}.",
                       ", ".join(str(self.between(0, 9)) for _ in range(self.between(3, 8))) + ".", f"Step {self.between(1, 12)} of {self.between(12, 20)}.")

    def reply(self) -> str:
        return f"{self.of('Yes', 'No', 'Well', 'Okay', 'Sorry', 'Sure')}, {self.of('I', 'we', 'they', 'you')} {self.of('can', 'will', 'did', 'do', 'should')} {self.pick(VERBS)} {self.of('it', 'them', 'that', 'this')} {self.pick(ADVERBS)}."

    def instruction(self) -> str:
        return self.of(f"Please {self.action()} {self.pick(ADVERBS)}.", f"Don't {self.action()}!", f"Turn {self.of('left', 'right')} after {self.between(2, 900)} {self.of('feet', 'meters', 'miles')}.",
                       f"Click the {self.pick(ADJECTIVES)} button to {self.action()}.", f"Open the {self.thing()}, then {self.action()}.")

    def technical(self) -> str:
        return self.of(
            f"Version {self.between(1, 12)}.{self.between(1, 9)} of the program is {self.pick(ADJECTIVES)}.", f"The file is {self.between(2, 900)} {self.of('megabytes', 'kilobytes', 'gigabytes')} long.",
            f"Error {self.between(100, 599)}: the {self.pick(THINGS)} was not found.", f"The battery is at {self.between(1, 100)}%.", f"Download finished in {self.between(2, 59)} seconds.",
            f"The model runs on your own {self.of('computer', 'phone', 'laptop', 'machine')}.", f"Your {self.pick(ACRONYMS)} needs an update.", f"Reading line {self.between(2, 9999)} of the log file.",
            f"The {self.pick(ACRONYMS)} uses {self.between(2, 100)}% of the memory.", f"Write to {self.pick(FIRST_NAMES).lower()}@example.com.")
