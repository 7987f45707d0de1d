/** Added to the common sheet (src/base/pages/style.ts). */
export const docsStyle = `
:root { --string: #8a4b08; --number: #5b3fa0; --variable: #8e2a6b; }
@media (prefers-color-scheme: dark) { :root { --string: #e6b98a; --number: #c5b3f5; --variable: #f0a6d2; } }
[hidden] { display: none !important; }
.wide header, .wide main { max-width: 88rem; }
.wide header { padding: 1rem 0; }
.skip { position: absolute; z-index: 1; top: .4rem; left: 1rem; padding: .5rem 1rem; border-radius: .6rem; background: var(--card); }
.skip:not(:focus) { clip-path: inset(50%); }
#content { min-width: 0; }
#content:focus { outline: none; }
#menu { font-size: .9375rem; color: inherit; background: var(--card); border: 1px solid var(--field); }
#menu:popover-open { inset: 4.5rem 1rem 1rem; width: auto; height: auto; margin: 0; padding: 1rem; border-radius: 1rem; }
#menu ul { list-style: none; margin: 0; padding: 0; }
#menu a { display: flex; gap: .5rem; align-items: baseline; padding: .3rem .6rem; border-radius: .5rem; color: inherit; line-height: 1.35; text-decoration: none; }
#menu a:hover { background: var(--tint); }
#menu a[aria-current] { background: var(--tint); color: var(--accent-strong); font-weight: 600; }
#menu .method { min-width: 3.25rem; flex: none; font-size: .6875rem; }
.label { margin: 1.25rem 0 .25rem .6rem; color: var(--quiet); font-size: .8125rem; font-weight: 650; }
.search label { display: block; margin: 0 0 .25rem .6rem; font-size: .8125rem; font-weight: 650; color: var(--quiet); }
.search { position: sticky; top: -.5rem; margin: -.5rem 0 0; padding: .5rem 0 0; background: inherit; }
.search [role=status] { min-height: 1.5em; margin: .25rem 0 0 .6rem; }
.search + .group .label { margin-top: 0; }
@media (min-width: 64rem) {
  .menu { display: none; }
  .wide main { display: grid; grid-template-columns: 17rem minmax(0, 1fr); gap: 2.5rem; }
  #menu { display: block; position: sticky; inset: auto; top: 0; align-self: start; width: auto; max-height: 100vh; margin: 0; padding: .5rem .25rem 2rem; border: 0; background: var(--ground); overflow-y: auto; }
}
h1 { font-size: 1.875rem; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1.0625rem; margin: 2rem 0 .5rem; }
h4 { font-size: .9375rem; margin: 1.5rem 0 .35rem; color: var(--quiet); }
:is(h1, h2, h3, h4) > a { color: inherit; text-decoration: none; }
:is(h1, h2, h3, h4) > a:is(:hover, :focus-visible)::after { content: " #" / ""; color: var(--quiet); }
:target { scroll-margin-top: 1rem; }
:is(h1, h2, h3, h4):target, div:target, li:target { background: var(--tint); box-shadow: 0 0 0 .35rem var(--tint); border-radius: .25rem; }
.operation + .operation, .schema + .schema { margin-top: 2rem; padding-top: .5rem; border-top: 1px solid var(--line); }
.operation h2 { font-size: 1.0625rem; margin: 2rem 0 .5rem; }
@media (min-width: 80rem) {
  .operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 28rem); gap: 2.5rem; }
  .samples { position: sticky; top: 0; align-self: start; max-height: 100vh; padding-bottom: 1rem; overflow-y: auto; }
}
.code { position: relative; margin: 1rem 0; }
.code figcaption { padding: .25rem 0 .5rem; font-size: .8125rem; font-weight: 650; color: var(--quiet); }
pre { overflow-x: auto; margin: 0; padding: .85rem 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); overflow-wrap: normal; }
.code:not(:has(figcaption)):has(.copy) pre { padding-top: 2.5rem; }
.copy { position: absolute; top: 0; right: 0; min-height: 1.75rem; padding: 0 .75rem; border-color: var(--line); border-radius: .5rem; background: var(--ground); font-size: .8125rem; }
.code:not(:has(figcaption)) .copy { top: .6rem; right: .6rem; }
.string { color: var(--string); }
.number { color: var(--number); }
.variable { color: var(--variable); font-weight: 600; }
.name { color: var(--accent); }
.verb { color: var(--accent-strong); font-weight: 650; }
.comment, .pattern { color: var(--quiet); }
.address { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; }
.method { display: inline-block; min-width: 3.75rem; font: 650 .75rem/1.6 ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: var(--accent-strong); }
.method.delete { color: var(--wrong); }
.cards { list-style: none; margin: 1.5rem 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); gap: 1rem; }
.cards li { padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); font-size: .9375rem; }
.cards a { display: block; margin-bottom: .25rem; font-weight: 650; }
.index { list-style: none; margin: 0; padding: 0; font-size: .9375rem; }
.index li { padding: .25rem 0; }
.fields-of { margin: .25rem 0 0; font-size: .9375rem; }
.fields-of > div { padding: .5rem 0; border-top: 1px solid var(--line); }
.fields-of > div:first-child { border-top: 0; }
.fields-of dt { font-weight: 600; }
.fields-of dt .quiet { font-weight: 400; }
.fields-of dd { margin: 0; }
.fields-of p { margin: 0 0 .35rem; }
.fields-of + .small { margin: .75rem 0 0; }
.fields-of .fields-of { margin-left: 1rem; }
@media (min-width: 40rem) { .fields-of > div { display: grid; grid-template-columns: minmax(9rem, 1fr) 3fr; gap: 1rem; } }
details { margin-top: .5rem; }
summary { cursor: pointer; font-weight: 600; font-size: .9375rem; }
.codes { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .15rem .9rem; }
#content > p, .guide > :is(p, ul, ol) { max-width: 48rem; }
.guide li + li { margin-top: .35rem; }
table { width: 100%; margin-bottom: 1.5rem; border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
td { overflow-wrap: break-word; }
th { overflow-wrap: normal; }
td:first-child { min-width: 9rem; }
td:last-child { min-width: min(20rem, 40vw); }
thead th { border: 0; color: var(--quiet); font-size: .8125rem; }
@media not (min-width: 40rem) {
  thead { position: absolute; clip-path: inset(50%); }
  :is(table, tbody, tr, td) { display: block; }
  td:nth-child(n) { min-width: 0; padding: .25rem 0; border: 0; overflow-wrap: anywhere; }
  tr { padding: .5rem 0; border-top: 1px solid var(--line); }
}
`;
