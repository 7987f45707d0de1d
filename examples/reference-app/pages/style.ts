/** Texts have a contrast of at least 4.5 to 1 in both schemes, borders of fields and the ring of the focus 3 to 1. */
export const style = `
:root {
  color-scheme: light dark; --ground: light-dark(#fff, #111014); --raised: light-dark(#f6f5f9, #1b1a20); --line: light-dark(#e5e3ec, #2d2b34);
  --field: light-dark(#86829a, #7a768a); --text: light-dark(#17151f, #eeecf4); --quiet: light-dark(#5f5b6d, #a5a1b4);
  --accent: light-dark(#4338ca, #a5a0ff); --accent-strong: light-dark(#312a96, #c3c0ff); --on-accent: light-dark(#fff, #17134a);
  --tint: light-dark(#eeecff, #25224a); --wrong: light-dark(#b3261e, #ff9d93); --heart: light-dark(#c2185b, #ff86b4);
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding: 4.5rem 0; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.25rem; line-height: 1.3; letter-spacing: -.01em; margin: 0; text-wrap: balance; }
h2 { font-size: 1rem; margin: 0; }
p { margin: 0 0 .75rem; } p:last-child { margin: 0; } ul { list-style: none; margin: 0; padding: 0; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .2em; } a:hover { color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .4rem; } main:focus { outline: none; }
[hidden] { display: none !important; }
.quiet { color: var(--quiet); } .small, .hint { font-size: .875rem; } .hint { color: var(--quiet); margin: .4rem 0 0; }
.unseen { position: absolute; width: 1px; height: 1px; padding: 0; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: fixed; z-index: 9; top: -5rem; left: 1rem; padding: .6rem 1rem; background: var(--ground); border-radius: .5rem; } .skip:focus { top: 1rem; }
.sprite { position: absolute; width: 0; height: 0; }
.icon, .sprite { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; } .icon { width: 1.35rem; height: 1.35rem; flex: none; }
button, .button { display: inline-flex; flex: none; white-space: nowrap; align-items: center; justify-content: center; gap: .4rem; min-height: 2.5rem; padding: .35rem 1.15rem; font: inherit; font-weight: 600;
  border: 1px solid var(--field); border-radius: 2rem; background: none; color: var(--text); text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: var(--raised); color: var(--text); }
.main:is(button, .button) { background: var(--accent); border-color: var(--accent); color: var(--on-accent); } .main:is(button, .button):hover { background: var(--accent-strong); border-color: var(--accent-strong); }
.danger { border-color: var(--wrong); color: var(--wrong); }
input:not([type=radio]), textarea { width: 100%; min-height: 2.75rem; padding: .5rem .8rem; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--field); border-radius: .75rem; }
textarea { resize: vertical; field-sizing: content; max-height: 60vh; } .fields textarea { min-height: 5.5rem; } ::placeholder { color: var(--quiet); opacity: 1; }
.bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: flex-end; gap: .6rem; } .bar p { margin: 0 auto 0 0; }
.shell { display: grid; grid-template-columns: 14rem minmax(0, 37.5rem) 18rem; justify-content: center; }
.shell > main { border-inline: 1px solid var(--line); min-height: 100vh; padding-bottom: 6rem; }
.title { position: sticky; z-index: 2; top: 0; padding: .9rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--ground); }
.state { margin-top: .25rem; color: var(--wrong); font-size: .875rem; }
.rail { position: sticky; top: 0; align-self: start; display: grid; gap: 1rem; padding: .75rem 1rem; justify-items: start; }
.rail nav { display: grid; gap: .15rem; }
.rail nav a { position: relative; display: flex; align-items: center; gap: 1rem; min-height: 3rem; padding: .4rem 1.1rem .4rem .75rem; border-radius: 2rem; color: var(--text); font-size: 1.125rem; text-decoration: none; }
.rail nav a:hover { background: var(--raised); } .rail nav [aria-current] { font-weight: 700; } .rail nav [aria-current] .icon { stroke-width: 2.6; color: var(--accent); }
.rail > .button { width: 100%; min-height: 3rem; }
.badge { padding: 0 .5rem; border-radius: 1rem; background: var(--accent); color: var(--on-accent); font-size: .8125rem; line-height: 1.4rem; }
.brand { display: flex; align-items: center; gap: .6rem; padding: .5rem .75rem; margin: 0; font-size: 1.25rem; font-weight: 750; letter-spacing: -.02em; color: var(--text); text-decoration: none; } .brand .icon { width: 1.9rem; height: 1.9rem; color: var(--accent); }
.side { position: sticky; top: 0; align-self: start; display: grid; gap: 1.25rem; padding: 1rem 1rem 1rem 1.5rem; }
.finder { position: relative; } .finder .icon { position: absolute; left: .85rem; top: .7rem; color: var(--quiet); } .finder input { padding-left: 2.75rem; border-radius: 2rem; background: var(--raised); } main > .finder { margin: 1rem 1.25rem; }
.mini { display: flex; align-items: center; gap: .75rem; min-width: 0; color: inherit; text-decoration: none; line-height: 1.3; } .mini > span:last-child { display: grid; min-width: 0; } .mini:hover .name { text-decoration: underline; }
.post { display: grid; grid-template-columns: 2.75rem minmax(0, 1fr); gap: .75rem; padding: 1rem 1.25rem .5rem; border-bottom: 1px solid var(--line); }
.post > .body > header { display: flex; gap: .35rem; line-height: 1.35; white-space: nowrap; } .post header > * { flex: none; } .post header > :is(.name, .handle), .mini .quiet { flex: 0 1 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .post header > .name { flex: none; max-width: 75%; } .name { font-weight: 700; color: var(--text); text-decoration: none; } a.name:hover { color: var(--text); text-decoration: underline; }
.when { text-decoration: none; } .when::before { content: "· "; } .when:hover { color: var(--quiet); text-decoration: underline; }
.post .context { display: flex; align-items: center; gap: .35rem; margin: .1rem 0 0; } .context .icon { width: 1rem; height: 1rem; } .context a { color: inherit; }
.text { margin: .15rem 0 .4rem; white-space: pre-wrap; } .lead .text { font-size: 1.25rem; line-height: 1.45; margin: .5rem 0; }
.post footer { display: flex; align-items: center; gap: .75rem; margin-left: -.6rem; }
.act { min-height: 2.25rem; padding: .2rem .6rem; border: 0; border-radius: 2rem; display: inline-flex; align-items: center; gap: .4rem; font-size: .875rem; font-weight: 500; color: var(--quiet); text-decoration: none; cursor: pointer; }
.act:hover { background: var(--raised); color: var(--accent); } .more { margin-left: auto; } .act .icon { width: 1.2rem; height: 1.2rem; } .heart[aria-pressed=true] { color: var(--heart); } .heart[aria-pressed=true] .icon, .like .icon { fill: currentColor; }
.face { display: grid; place-items: center; width: 2.75rem; height: 2.75rem; flex: none; border-radius: 50%; font-weight: 700; font-size: 1.125rem; color: #fff; background: hsl(var(--hue) 45% 32%); } .face.large { width: 5rem; height: 5rem; font-size: 2rem; } .to-face { text-decoration: none; }
${Array.from({ length: 8 }, (_, hue) => `.hue${hue} { --hue: ${hue * 45 + 10}; }`).join(' ')}
.composer { display: grid; gap: .6rem; padding: 1rem 1.25rem; border-bottom: 1px solid var(--line); } .composer textarea { border-color: transparent; background: var(--raised); font-size: 1.125rem; } .composer textarea:hover { border-color: var(--field); }
.older { padding: 1.25rem; text-align: center; }
.empty { padding: 3.5rem 2rem; text-align: center; color: var(--quiet); } .empty .icon { width: 2.75rem; height: 2.75rem; color: var(--accent); } .empty h2 { margin: .75rem 0 .25rem; font-size: 1.125rem; color: var(--text); } .empty p { max-width: 24rem; margin-inline: auto; text-wrap: balance; }
.profile { padding: 1.25rem; border-bottom: 1px solid var(--line); } .profile .top { display: flex; justify-content: space-between; align-items: end; margin-bottom: .75rem; } .profile p { margin: 0 0 .25rem; } .profile > .name { font-size: 1.375rem; line-height: 1.25; } .profile .text { margin: .75rem 0; } .counts { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; } .profile .counts { margin-top: .75rem; } .counts a { color: inherit; text-decoration: none; } .counts a:hover { text-decoration: underline; }
.people li, .entries li { display: flex; align-items: center; justify-content: space-between; gap: .75rem; padding: .85rem 1.25rem; border-bottom: 1px solid var(--line); }
.entries li { justify-content: start; align-items: start; } .entries .new { background: var(--tint); } .entries .face { width: 2.25rem; height: 2.25rem; font-size: .95rem; } .entries p { margin: 0; } .kind { color: var(--accent); padding-top: .35rem; } .kind.like { color: var(--heart); } .says { color: inherit; text-decoration: none; } .says:hover { text-decoration: underline; } .excerpt { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; } main > .bar, main > .live > .bar, main > .hint { padding: .75rem 1.25rem; margin: 0; border-bottom: 1px solid var(--line); }
.card, .notice, .problem { margin: 1rem 1.25rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 1rem; } .notice { background: var(--tint); border-color: var(--accent); } .problem { border-color: var(--wrong); color: var(--wrong); font-weight: 600; } .card h2 { margin-bottom: .75rem; } .card .people li { padding-inline: 0; }
.kept { margin: .75rem 0; padding: .75rem 1rem; border-left: 3px solid var(--accent); background: var(--raised); border-radius: 0 .75rem .75rem 0; white-space: pre-wrap; }
.fields { display: grid; gap: 1.1rem; } .fields label { display: block; font-weight: 600; margin-bottom: .3rem; } fieldset { border: 0; margin: 0; padding: 0; } legend { font-weight: 600; padding: 0; margin-bottom: .4rem; } .fields .choice { text-transform: capitalize; display: flex; gap: .6rem; align-items: center; min-height: 2.5rem; margin: 0; font-weight: 400; } input[type=radio] { width: 1.2rem; height: 1.2rem; margin: 0; accent-color: var(--accent); }
.pill { position: fixed; z-index: 4; top: 4.5rem; left: 50%; translate: -50%; box-shadow: 0 .25rem 1rem #0004; }
.plain main { display: grid; place-items: center; min-height: 100vh; padding: 1.5rem; } .fault { max-width: 32rem; margin: 0; padding: clamp(1.5rem, 6vw, 2.5rem); } .fault > .icon { width: 2.5rem; height: 2.5rem; color: var(--accent); } .fault h1 { font-size: 1.625rem; margin: .75rem 0 .5rem; } .fault .bar { justify-content: start; margin-top: 1.25rem; }
.welcome { max-width: 34rem; } .welcome .brand { padding: 0; margin-bottom: clamp(2rem, 10vh, 5rem); } .welcome h1 { font-size: clamp(2.5rem, 9vw, 4.25rem); line-height: 1.05; letter-spacing: -.035em; font-weight: 800; } .welcome .lead { margin: 1.25rem 0 1.75rem; font-size: 1.25rem; color: var(--quiet); } .welcome button { min-height: 3.25rem; padding-inline: 2rem; font-size: 1.125rem; } .welcome ul { display: grid; gap: 1.25rem; margin-top: clamp(2.5rem, 8vh, 4rem); } .welcome li { display: flex; gap: 1rem; } .welcome li .icon { color: var(--accent); margin-top: .1rem; } .welcome li p { color: var(--quiet); } .welcome .notice { margin: 0 0 2rem; }
@media (max-width: 68rem) { .shell { grid-template-columns: 5rem minmax(0, 37.5rem); } .side { display: none; } .rail { padding-inline: .5rem; justify-items: center; } .rail nav a { padding: .4rem .9rem; } .rail > .button { display: none; } .rail :is(.brand, nav a) > span:not(.badge) { position: absolute; width: 1px; height: 1px; min-height: 0; padding: 0; overflow: hidden; clip-path: inset(50%); } .badge { position: absolute; left: 2rem; top: .3rem; } }
@media (max-width: 40rem) {
  .shell { display: block; } .shell > main { border: 0; } .title { padding-left: 1rem; } .post, .composer, .profile, main > .live > .bar, .people li, .entries li { padding-inline: 1rem; } .card, .notice, .problem { margin-inline: 1rem; }
  .rail { position: fixed; z-index: 5; inset: auto 0 0; display: block; justify-items: normal; padding: 0 .5rem env(safe-area-inset-bottom); background: var(--ground); border-top: 1px solid var(--line); } .rail .brand { display: none; } .rail nav { grid-template-columns: repeat(5, 1fr); } .rail nav a { justify-content: center; min-height: 3.5rem; padding: 0; } .badge { left: 50%; }
}
@media (prefers-reduced-motion: no-preference) { a, button, .button { transition: background-color .15s; } }
@media (forced-colors: active) { .face { border: 1px solid; } .heart[aria-pressed=true] { text-decoration: underline; } }
`;
