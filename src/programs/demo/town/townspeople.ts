/**
 * People that never existed, and what they write. `@handle Name | bio`, then a post; `>` somebody replies to it, `<` its author answers
 * the reply before, `~` its author edits the post to this. Nobody mentions a person who comes later: a small town has the first ones.
 */
export const townspeople = `
@maren Maren Holtby | Paddles before breakfast. Rivers, maps, strong tea.
The river was glass this morning. A heron let me drift past at two metres and then went back to pretending I was a log.
> Which stretch was that? I've only ever met herons that scream and leave.
< Below the old weir, before seven. After seven they all have opinions.
> This is the calmest thing I will read today.

@crest_deals Crest Deals | Best prices, every day, link below
GROW YOUR ACCOUNT OVERNIGHT!!! 5000 real followers for the price of a coffee. Message me now, only 9 places left!!!

@tobi_k Tobias Kellmeister | Repairs clocks, breaks software. Mostly in that order.
Spent four hours on a clock that gained a minute a day. The cure was moving it away from the radiator.
> So the clock was fine and the room was wrong. I know the feeling.
< I am thinking of billing the radiator.
> My grandfather's only ever ran on Sundays. We never found out why.

@ines_v Inês Valadar | Bakery, 4 a.m. shift. Ask me about rye.
Bread tip nobody asked for: if your crumb is gummy, it probably isn't the flour. You cut it while it was still hot. We all do. Wait.
> I have never once waited and I never will.
< Then eat it gummy and be happy, I support you.
> How long is waiting? An hour?
< For rye, tomorrow. For wheat, until the crust stops crackling.

@oyelaran Folasade Oyelaran | Teaches chemistry to teenagers. Some of it stays.
A student asked me today if atoms get tired. I have a degree in this and I needed a minute.
> And? Do they?
< Some of them give up quite suddenly, after a few billion years. She liked that answer.
> Please never leave teaching.

@juniper_lo June Lo | Rooftop garden, eleventh floor. The wind and I have an agreement.
Harvest report: nine tomatoes, one heroic aubergine, and a courgette that was small on Friday and is now a member of the household.
> Courgettes do not grow, they happen.
> What do you do about the wind up there?
< Fishing net, on two sides. It looks like I am keeping a goalkeeper.

@pavel_d Pavel Drozdik | Night trains and the people on them
The night train has a new blanket policy, which is that there are blankets again. Reporting from berth 34, very content.
~ The night train has blankets again. Reporting from berth 34, very content. (Edit: berth 36 has none. Solidarity with berth 36.)
> Which line? I gave up on ours when the heating did.
< The one over the pass. Bring your own pillow, though.
> Berth 36 here. Thank you for your attention to this matter.

@samira_h Samira Haddou | Cartographer. I like my coastlines honest.
Today I corrected a map on which a lake had been drawn twice, eleven kilometres apart, since 1962. Two villages have been arguing about the same water.
> Did anyone ever try to swim in the second one?
< The archive has a postcard that claims so.
> I want to read a whole book of these.

@benedikt_o Benedikt Osei | Choir bass. Volunteer ferryman. Terrible at chess.
Rehearsal tonight: the altos were right, the tenors were loud, and the basses were asked, kindly, to look up from the page.
> As an alto I confirm that we were right.
> You were looking at the chess app, admit it.
< I was in check.

@lotte_m Lotte Marrink | Bicycles. Carries things on them that should not be carried on them.
Moved a wardrobe by cargo bike. It went well for the first three streets and then we met the bridge.
> Which part gave up first?
< My pride. The wardrobe is fine.
> Please tell me there is a photo.
> Next time ask, I have straps that have held a piano.

@kwame_a Kwame Asamoah-Lind | Writes firmware for lighthouses. Yes, really.
People ask what firmware for a lighthouse does. It turns a light on when it's dark. The other nine thousand lines are about being sure that it's dark.
> And the remaining bugs?
< Full moon over fresh snow. Once a decade. We have a ticket for it.
> This is the best description of my own job that I've seen, and I make lifts.

@noor_w Noor Westergaard | Paramedic, night shift. Off duty I only talk about cheese.
Quiet night, for once. Four cups of tea, one crossword, and a long conversation about whether a brie can be too young.
> It can. It tastes of chalk and ambition.
< Exactly what I said, and Darius didn't speak to me until Wednesday.
> Thank you for being out there.

@elio_r Elio Rastelli | Restores murals. Has paint somewhere on him right now.
Under three layers of beige we found a border of tiny blue fish. Somebody in 1911 painted two hundred of them and no two are alike.
> Who covers that with beige?
< A committee. It is in the minutes.
> Will they stay visible?
< All of them. I start on the tail end on Monday.

@halima_b Halima Bergsson | Runs a library on a boat
The library boat is back on the water from Thursday. New this spring: large print, seed packets, and a shelf that only has books people cried over.
> Who decides what goes on the crying shelf?
< You do. There's a slip in the back of each book.
> Do you still stop at the old pier, @maren's end of the river?

@dario_f Dario Fenwick | Learning the accordion. Neighbours: sorry.
Week six of the accordion. I can now play one waltz, at the speed of a funeral. The cat has moved to the neighbour's.
> As the neighbour: the cat is fine and has asked to stay.
< Please tell her I'm learning a second song.
> At half speed a waltz is a landscape. Keep going.

@yuki_t Yuki Tamagawa | Makes paper. Answers slowly.
It is mulberry season. Three days of steaming, beating and waiting, and then a sheet you can hold against the sun and count the fibres.
> I have one of your sheets. I'm still too shy to write on it.
< Please do. It has been waiting for that since it was a tree.

@rosa_p Rosa Petrakis | Beekeeper with eleven hives and one allergy
Inspected all the hives. Ten are calm and polite. Number seven is, as ever, a small government in exile.
> Is it the queen?
< It's always the queen.
> How do you keep bees with an allergy?
< Carefully, and in a suit that makes me look like a fencing astronaut.

@gus_n Gustav Nyberg-Cole | Ice, boats, and ice on boats
First ice in the harbour. You can hear it before you see it: like somebody stirring a very large gin and tonic.
> Too early, isn't it?
< Nine days earlier than last year. I have a notebook since 1998, I'll post the table.
> Please post the table. I live for tables.

@amara_j Amara Jolibois | Costume workshop. Pins in unlikely places.
Opening night. The cape that took nine weeks is on stage for forty seconds. They were very good seconds.
> I was there! Row F, I gasped at the cape.
< Then it was worth all nine.
> Is it the green one from your photo in the spring?

@wim_z Wim Zandee | Retired dredger. Still looks at rivers as if they owed me something.
Walked along the new dyke with my grandson. He asked who won, us or the sea. I said we are still playing.
> I'm stealing this for my geography class.
> Sixty years of work in one sentence.

@priya_s Priya Sundaresan-Holt | Builds kites that are slightly too large
The big kite flew today. Eleven metres, four people on the line, and a dog who believed until the end that he was helping.
> How do you land an eleven-metre kite?
< You negotiate.
> The dog WAS helping.

@mattis_g Mattis Grunewald | Baker's husband, tester of failed loaves
I have been asked to state publicly that the loaf was not burnt, it was "well finished". It was well finished and I could knock on it.
> Slander. @ines_v would never.
> A good crust should answer when you knock.

@chidi_u Chidi Umeh-Larsen | Runs slowly, in all weathers, with a podcast about bridges
Ran ten kilometres in rain so steady that it stopped being weather and became a place.
> I passed you! You waved like a captain.
< I thought you were a lamp post. Sorry. Good pace.
> Which bridge was the episode about?
< The one that had to be built twice. They are always about that one.

@sofie_l Sofie Lindgaard | Optician. I notice your frames. I say nothing.
A man came in because letters had become blurry "since the holidays". His lenses were in the wrong sides. He'd sat on them and put them back himself.
> I feel seen, and not sharply.
> Did you charge him?
< A promise to come back next year.

@tariq_e Tariq El-Amrani | Sound recordist. Currently hunting for silence.
Recorded forty minutes of a forest today. At minute twelve a woodpecker started, and at minute thirteen a second one disagreed.
> Any chance of hearing it?
< Next week, when I've taken the aeroplane out. There's always an aeroplane.
> Minute thirteen sounds like our family dinners.

@ada_q Ada Quist | Maths at the kitchen table. Proofs, puzzles, pancakes.
Puzzle for the evening: a cake is cut by four straight cuts, nobody moves a piece. What's the most pieces you can get, and who gets the corner with the cherry?
> Eleven, and me.
< Correct, and no.
> My daughter says as many as you like if the cake is tall. I have no answer to this.
< Tell her she's hired.

@hugo_m Hugo Mbeki-Strand | Lift engineer. I have heard your joke.
Yes, the job has its ups and downs. You're the fourth today. The first one was my own mother.
> I'll take the stairs, thank you.
> Does anything about lifts still surprise you?
< How many people talk to them.

@freya_c Freya Castellan | Falconry centre, mornings. Paperwork, afternoons.
Our youngest falcon flew her first free circle today, thought about Denmark for a moment, and came back for half a quail.
> Denmark is lovely but it has fewer quails.
> How do you know that she'll come back?
< You don't. That's the whole job.

@stellan_v Stellan Varga | Second-hand books, first-hand dust
Found in a cookbook from 1954: a bus ticket, a pressed violet, and a note that says "never again with the mushrooms".
> I need to know about the mushrooms.
< Page 88. The page is very clean, which is the sinister part.
> The violet was the apology.

@mei_ling_o Mei Ling Ostrander | Radio amateur. Says hello to the whole world, politely.
Spoke with a lighthouse keeper, a lorry driver and a monastery tonight, all on four watts and a wire over the balcony.
> What does one talk about with a monastery?
< Antennas. They have a beautiful roof.
> Was the keeper happy with his firmware? Asking for @kwame_a.

@ruben_i Ruben Ibarrola | Cheese cave, 12 degrees, bring a jumper
Turned 340 wheels this morning. Every one of them has a number, and eleven of them have names. I know it's unprofessional.
> Names?!
< The ones that were difficult as children.
> Is Big Agnes still with us?
< She leaves on Saturday. I'd rather not talk about it.

@zeynep_a Zeynep Aydoğmuş | Tram driver, line 4. The bell is for you.
To the man with the cello at the museum stop: I saw you running, I waited, the whole tram cheered. This is what I drive for.
> I was on that tram. Best four seconds of my week.
> The cellist's flatmate here. He told us all evening.
< Tell him the next one leaves at 8:12 and I'm not always this sentimental.

@nils_e Nils Eberhart-Ruiz | Weather observer. I was right on Tuesday.
Cloud base 300 metres, wind from the east, and my left knee. The models say sun. I say take an umbrella.
> I took the umbrella. It's raining. Who's in charge of the models?
< Not the knee, sadly.
> Put the knee on the network, it deserves an account.

@imani_d Imani Delacroix-Pugh | Swim teacher. Floating is a decision.
Today a 71-year-old floated for the first time in her life. She opened her eyes and said "so that's what the ceiling is for".
> I have something in my eye.
> How long did it take?
< Nine lessons and one bad joke at the right moment.

@oskar_b Oskar Bielicki | Typesetter. Yes, that space is too wide.
There are two kinds of people: those who see that the kerning on the new station sign is off, and those who sleep well.
> I walked past it for a year and now I can't stop seeing it. Thank you so much.
< Welcome. We meet on Thursdays.

@clara_y Clara Yeboah-Finch | Moss, lichen, and other slow news
A lichen I have photographed every January since 2009 has grown by the width of a fingernail. Breaking news from the north wall.
> Following this story closely.
> Is that fast?
< For a map lichen, it's practically running.

@jonas_w Jonas Wieland-Okoro | Cooks on a research ship. Everything slides.
Soup at force seven is mostly a question of the lid. Fifty-two portions, one casualty, morale intact.
> What was the casualty?
< A trifle. It left in the direction of the chart room.
> Never serve trifle above force five. It's in the manual now.

@linnea_k Linnea Kovalenko | Puppets by day, tax returns by night
Finished a puppet today, and he has the face of someone who'll tell you the receipt is not itemised. I fear my jobs are merging.
> Does he accept photocopies?
< He does not. He needs the original, and he'll wait.

@malik_r Malik Rosendahl | Stone walls without mortar. Patience without reason.
Rebuilt six metres of dry stone wall. Somewhere in there is the stone that fits nowhere, and now it fits.
> How do you know where a stone goes?
< You pick it up once. If you put it down again, you were wrong to pick it up.
> That is either masonry or philosophy.

@tessa_v Tessa Vandermolen | Allotment 14. Slug diplomat.
The slugs and I have signed a treaty: they get the outer row of lettuce, and I pretend not to see them. Day two, and they've crossed the border.
> Copper tape. Trust me.
> Ducks. Borrow ducks.
< I've borrowed ducks. The ducks have eaten the treaty.

@arun_h Arun Hemmings | Crossword setter. Apologies in advance.
Eight letters: "a small social gathering, disturbed by a goat". I've had it on the desk for a week, and the goat is winning.
> Give us the first letter at least.
< It would only hurt you.

@birgit_s Birgit Solheim-Adu | Ferry captain. The toast is better on the evening crossing.
Fog so thick this morning that we docked by ear. Thirty passengers, absolute silence, and then one child: "are we in the sky?"
> We were on it. My son is still convinced.
< Then he was right.

@leo_t Leo Tannahill | Piano tuner. I hear your fridge, too.
Tuned a school piano with nine pencils in it. All returned to their owners, except for one, which is older than the headmaster.
> Which key had the most?
< The low F. It rattled beautifully, I almost left them.

@nadia_x Nadia Xanthou | Sign-language interpreter. Talks with her hands full.
Interpreted a talk about sea cucumbers tonight. There's no sign for half of it. There is now.
> Please do "evisceration" for us one day.
< The front row will never forget it.

@edda_f Edda Fjellstad | Weaves. Counts. Loses count. Weaves.
Twelve hundred threads on the loom, one of them crossed, and I only see it now, on the fourth metre. Unweaving is just weaving with regret.
> Leave it in. The weavers here say that's where the luck gets out.
< I like this. It's staying.

@solomon_g Solomon Grieve | Bus shelters, benches, public clocks: I photograph where people wait
A bench by the canal with a brass plate that says "for Ellen, who was never on time". I sat there until I was late as well.
> This one got me.
> Where is it? I'd like to be late there, too.
< Third lock from the harbour, on the sunny side.

@vera_n Vera Nakamori-Stein | Lock keeper. Two boats at a time, please.
A duck has nested on the lower gate. Traffic through lock three is by appointment with the duck.
> What are her office hours?
< She's strict about breakfast.
> Library boat here: we'll wait as long as the duck wishes.

@ilja_p Ilja Petrossian-Beck | New here. Grows chillies, shows restraint.
Hello, all. I was told that this is the quiet corner where people talk about clocks and cheese. I've brought chillies. Be careful with the orange ones.
> Welcome! How careful is careful?
< Have bread at hand, and nobody's eyes.
> Welcome. The duck at lock three is in charge here.
`;
