export const docsStyle = `
.wide header, .wide main { max-width: 54rem; }
main > section, main > nav { margin-top: 1.25rem; }
.operation { scroll-margin-top: 1rem; }
.operation:target, .fields-of > div:target { border-color: var(--accent); background: var(--tint); }
.group { font-size: 1.25rem; margin: 2.5rem 0 1rem; }
h3 a, h2 a { color: inherit; text-decoration: none; }
h3 a:hover, h2 a:hover { text-decoration: underline; }
h4 { font-size: .875rem; margin: 1.5rem 0 .35rem; color: var(--quiet); text-transform: none; font-weight: 650; }
pre { overflow-x: auto; margin: .75rem 0 0; padding: .85rem 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--ground); overflow-wrap: normal; }
.pattern { color: var(--quiet); }
.address { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; margin: .35rem 0 .75rem; }
.method { display: inline-block; min-width: 3.75rem; font: 650 .75rem/1.6 ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: var(--accent-strong); }
.method.delete { color: var(--wrong); }
.index { list-style: none; margin: .25rem 0 1.25rem; padding: 0; font-size: .9375rem; }
.index li { padding: .2rem 0; }
.fields-of { margin: .25rem 0 0; font-size: .9375rem; }
.fields-of > div { padding: .5rem .25rem; border-top: 1px solid var(--line); }
.fields-of > div:first-child { border-top: 0; }
.fields-of dt { font-weight: 600; }
.fields-of dt .quiet { font-weight: 400; }
.fields-of dd { margin: 0; }
.fields-of .fields-of { margin-left: 1rem; }
@media (min-width: 40rem) { .fields-of > div { display: grid; grid-template-columns: minmax(9rem, 1fr) 3fr; gap: 1rem; } }
details { margin-top: 1rem; }
summary { cursor: pointer; font-weight: 600; font-size: .9375rem; }
.codes { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .15rem .9rem; }
`;
