/**
 * Text meets WCAG 2.2 AA in light and dark (4.5:1), field borders and the focus ring 3:1. Sizes are in rem, so that
 * the reader's font size applies.
 */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f5f4f0; --card: #fffefb; --line: #e0ddd4; --field: #8a867b; --text: #1e1d1a; --quiet: #605d55;
  --accent: #1d5f52; --accent-strong: #164a40; --on-accent: #ffffff; --tint: #e6f0ec; --wrong: #a32b1c; --wrong-tint: #fbeae6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #131513; --card: #1b1e1b; --line: #31352f; --field: #7d8379; --text: #ecebe5; --quiet: #a8a89f;
    --accent: #8ed1bd; --accent-strong: #b0e2d3; --on-accent: #0d2a23; --tint: #1e2f2a; --wrong: #f2a093; --wrong-tint: #3a221e;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; padding: 0 1rem 3rem; background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: anywhere;
}
header, main, footer { max-width: 27rem; margin-inline: auto; }
.wide header, .wide main, .wide footer { max-width: 42rem; }
header { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: clamp(1.5rem, 6vh, 4rem) 0 1.5rem; }
.wide header { padding-top: clamp(1.25rem, 4vh, 2.5rem); }
footer { padding: 1.5rem 0 0; color: var(--quiet); font-size: .875rem; }
.wordmark { display: flex; align-items: center; gap: .55rem; margin: 0; font-size: 1.125rem; font-weight: 650; letter-spacing: -.01em; }
a.wordmark { color: inherit; text-decoration: none; }
.wordmark svg { width: 1.6rem; height: 1.6rem; color: var(--accent); flex: none; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: clamp(1.25rem, 5vw, 2rem); }
.card + .card { margin-top: 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.015em; font-weight: 650; margin: 0 0 .5rem; text-wrap: balance; }
h2 { font-size: 1.0625rem; line-height: 1.35; font-weight: 650; margin: 0 0 .25rem; }
h3 { font-size: 1rem; line-height: 1.4; font-weight: 650; margin: 0; }
p { margin: 0 0 1rem; }
p:last-child { margin-bottom: 0; }
a { color: var(--accent); text-underline-offset: .2em; }
a:hover { color: var(--accent-strong); }
code, pre { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.quiet { color: var(--quiet); }
.small { font-size: .875rem; }
form { margin: 0; }
.fields { display: grid; gap: 1.1rem; margin-top: 1.5rem; }
.field label { display: block; font-weight: 600; margin-bottom: .3rem; }
.hint { margin: .5rem 0 0; font-size: .875rem; color: var(--quiet); }
.fault { margin: .5rem 0 0; font-size: .9375rem; font-weight: 550; color: var(--wrong); }
input:not([type=checkbox], [hidden]), textarea {
  display: block; width: 100%; min-height: 2.875rem; padding: .5rem .75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--field); border-radius: .6rem;
}
textarea { resize: vertical; }
input[aria-invalid], textarea[aria-invalid] { border-color: var(--wrong); box-shadow: inset 0 0 0 1px var(--wrong); }
input[type=checkbox] { width: 1.15rem; height: 1.15rem; margin: .2rem 0 0; accent-color: var(--accent); flex: none; }
.choice { display: flex; gap: .65rem; align-items: flex-start; }
button {
  font: inherit; font-weight: 600; min-height: 2.875rem; padding: .5rem 1.25rem; cursor: pointer; overflow-wrap: break-word;
  border: 1px solid var(--field); border-radius: .6rem; background: transparent; color: var(--text);
}
button:hover { border-color: var(--text); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.main:hover { background: var(--accent-strong); border-color: var(--accent-strong); }
button.plain { min-height: 2.75rem; padding: .25rem .25rem; margin: -.25rem; border: 0; color: var(--accent); font-weight: 500; text-decoration: underline; text-underline-offset: .2em; }
button.plain:hover { color: var(--accent-strong); }
button.slim { min-height: 2.75rem; padding: .25rem 1rem; font-size: .9375rem; }
.fields > button { width: 100%; }
.wide .fields { max-width: 24rem; }
.buttons { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin-top: 1.5rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }
button:focus-visible, input:focus-visible, textarea:focus-visible { border-radius: .6rem; }
.problem, .notice { padding: .75rem 1rem; border-radius: .6rem; margin: 1.25rem 0 0; }
.problem { background: var(--wrong-tint); color: var(--wrong); font-weight: 550; }
.notice { background: var(--tint); border: 1px solid var(--accent); margin: 0 0 1.25rem; }
.person { display: flex; align-items: center; gap: .85rem; min-width: 0; }
.person p { margin: 0; line-height: 1.35; }
.monogram {
  display: grid; place-items: center; width: 2.75rem; height: 2.75rem; flex: none; border-radius: 50%;
  background: var(--tint); color: var(--accent-strong); font-weight: 650; font-size: 1.125rem;
}
.inset { border: 1px solid var(--line); border-radius: .75rem; padding: .85rem 1rem; margin: 1.25rem 0; }
.inset > figcaption { margin-bottom: .35rem; }
blockquote { margin: 0; white-space: pre-wrap; }
.scopes { list-style: none; margin: .6rem 0 0; padding: 0; display: grid; gap: .5rem; }
.scopes li { position: relative; padding-left: 1.6rem; }
.scopes li::before {
  content: ""; position: absolute; left: .25rem; top: .42em; width: .75rem; height: .38rem; transform: rotate(-45deg);
  border: solid var(--accent); border-width: 0 0 2px 2px;
}
.links { margin: 0; padding-left: 1.25rem; }
.links li + li { margin-top: .35rem; }
.aside { margin-top: 1.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.applications { list-style: none; margin: 1rem 0 0; padding: 0; }
.applications > li { padding: 1.25rem 0; border-top: 1px solid var(--line); }
.applications > li:last-child { padding-bottom: 0; }
.between { display: flex; flex-wrap: wrap; align-items: flex-start; justify-content: space-between; gap: .75rem; }
.badge { display: inline-block; margin-left: .35rem; padding: .05rem .55rem; border-radius: 1rem; background: var(--wrong-tint); color: var(--wrong); font-size: .8125rem; font-weight: 600; }
.applications .scopes { margin-top: 1rem; }
.between > form { flex: none; }
@media (min-width: 34rem) { .between { flex-wrap: nowrap; } }
.facts { display: flex; flex-wrap: wrap; gap: .15rem 1.5rem; margin: .75rem 0 0; font-size: .875rem; }
.facts div { display: flex; gap: .4rem; }
.facts dt { color: var(--quiet); flex: none; }
.facts dd { margin: 0; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;
