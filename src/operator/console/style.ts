/** Added to the common sheet (src/base/pages/style.ts). */
export const consoleStyle = `
.console main { max-width: 72rem; }
.console.wide main { max-width: 100rem; }
.console main :is(p, blockquote, figure) { max-width: 48rem; }
.console main > p { max-width: none; }
main:focus { outline: none; }
.skip { position: absolute; z-index: 1; top: .4rem; left: 1rem; padding: .5rem 1rem; border-radius: .6rem; background: var(--card); }
.skip:not(:focus) { clip-path: inset(50%); }
.console header { max-width: none; min-height: 3.5rem; margin: 0 -1rem 1.25rem; padding: .25rem 1rem; background: var(--card); border-bottom: 1px solid var(--line); white-space: nowrap; }
.console nav a { padding: .5rem 0; text-decoration: none; }
.console nav a[aria-current] { color: var(--text); font-weight: 650; box-shadow: 0 2px 0 var(--accent); }
header > .slim { min-width: 0; line-height: 1.25; }
header > .slim > *, .who a > * { display: block; overflow: hidden; text-overflow: ellipsis; }
header nav { border: 1px solid var(--field); background: var(--card); color: inherit; font-size: .875rem; }
header nav:popover-open { inset: 3.5rem 1rem auto; width: auto; margin: 0; padding: .75rem 1.25rem; border-radius: 1rem; }
header nav [role=group] { display: grid; grid-template-columns: 5rem repeat(auto-fill, minmax(6.5rem, 1fr)); line-height: 1.8rem; }
header nav [role=group]::before { content: attr(aria-label) / ""; grid-row: 1 / span 4; padding: .5rem 0; color: var(--quiet); }
.who a { flex: 0 1 auto; min-width: 0; line-height: 1.3; }
header small, .who a span { font-size: .75rem; }
@media not (min-width: 80em) { .console .wordmark span { display: none; } }
@media (min-width: 80em) {
  header > .slim { display: none; }
  header nav { position: static; display: flex; flex: 1 1 auto; align-items: center; min-width: 0; width: auto; padding: 0; border: 0; overflow: visible; }
  header nav [role=group] { display: flex; gap: clamp(.75rem, 1vw, 1.25rem); }
  header nav [role=group]::before { content: none; }
  header nav [role=group] + [role=group] { margin-left: .75rem; padding-left: .75rem; border-left: 1px solid var(--line); }
  .who a { max-width: 16rem; }
  .who { flex: 1 1 0; justify-content: flex-end; min-width: 0; margin-left: 1rem; }
}
.facts + h2 { margin-top: 1.25rem; }
.who button { flex: none; }
.who { display: flex; align-items: center; gap: .75rem; }
.problem { margin: 0 0 1.25rem; }
.problem a { color: inherit; }
form .problem { margin: 1.25rem 0 0; }
.facts { flex-direction: column; }
.choice { margin: 0 0 .4rem; }
.choices { display: flex; flex-wrap: wrap; gap: .1rem 1rem; align-items: baseline; }
.choices a { padding: .35rem 0; }
.act { margin-top: .75rem; }
.act > summary { cursor: pointer; color: var(--accent); min-height: 1.75rem; width: fit-content; }
.act > form { padding: 0 0 .75rem; }
.act .fields, .console .fields { margin-top: .75rem; max-width: 28rem; gap: .9rem; }
.listed { list-style: none; margin: 1rem 0 0; padding: 0; }
.listed > li { padding: 1rem 0; border-top: 1px solid var(--line); }
.id { display: inline-block; max-width: 6rem; overflow: clip; text-overflow: ellipsis; white-space: nowrap; user-select: all; color: var(--quiet); font-size: .75rem; }
.secret { font: 1rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; padding: .75rem; border-radius: .6rem; background: var(--ground); user-select: all; }
.gates { display: flex; flex-wrap: wrap; gap: 1rem 3rem; margin-top: .75rem; }
.gates p { margin: 0; }
.gates .act { margin-top: .25rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: 1.25rem; margin: 1.25rem 0; }
.tiles .card { margin: 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1.25rem; margin-top: 1.25rem; }
.plots .card { margin: 0; min-width: 0; }
.plot { min-height: 1rem; overflow: hidden; }
.plot .uplot { width: 100%; }
.plot .u-wrap { max-width: 100%; }
.figure { font-size: 1.375rem; font-weight: 650; line-height: 1.3; margin: .25rem 0; }
.scrolled { overflow-x: auto; }
progress { width: 100%; max-width: 28rem; height: .75rem; accent-color: var(--accent); }
.console .fields.wide { max-width: none; }
.fields.wide > button { width: auto; justify-self: start; }
form + p, .facts + p { margin-top: .75rem; }
.listed p { margin: 0; }
.listed .inset { margin: .5rem 0; }
.links { margin: .75rem 0; }
table { overflow-wrap: normal; border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); vertical-align: top; font-weight: 400; }
thead th { border: 0; color: var(--quiet); font-size: .875rem; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { font-weight: 600; padding: 0; margin-bottom: .3rem; }
.state { display: inline-block; padding: .05rem .55rem; border-radius: 1rem; background: var(--tint); color: var(--accent-strong); font-size: .8125rem; font-weight: 600; }
.state.bad { background: var(--wrong-tint); color: var(--wrong); }
table bdi { display: inline-block; max-width: min(16rem, 40vw); overflow-wrap: break-word; text-decoration: inherit; }
main :is(h1, h2, dd, dt, td, th), .inset, .listed > li { overflow: clip; overflow-clip-margin: .4rem; }
.facts div:has(dt bdi) { flex-wrap: wrap; }
.facts dt { max-width: 100%; }
.dense { font-size: .875rem; line-height: 1.25rem; }
@media (min-width: 64em) {
  .dense :is(th, td) { height: 2rem; max-width: 28rem; padding-block: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: middle; }
  .dense bdi { overflow: clip; text-overflow: ellipsis; }
  .dense :focus-visible { outline-offset: -3px; }
}
.choices + p { margin-top: .75rem; }
.queue .id { display: none; }
.queue + p { margin-top: .75rem; }
.queue bdi { display: inline; overflow-wrap: anywhere; }
@media not (min-width: 64em) {
  .queue :is(table, tbody, tr, th) { display: block; }
  .queue thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .queue tr { padding: .75rem 0; border-top: 1px solid var(--line); }
  .queue :is(th, td) { padding: .15rem 0; border: 0; }
  .queue td { display: inline-block; margin-right: 1rem; }
  .queue td:empty { display: none; }
}
@media (min-width: 64em) {
  .queue table { table-layout: fixed; }
  .queue th a { display: block; overflow: hidden; text-overflow: ellipsis; }
  .queue thead th:nth-child(1) { width: 21%; }
  .queue thead th:nth-child(2) { width: 16%; }
  .queue thead th:nth-child(3) { width: 11%; }
  .queue thead th:nth-child(4) { width: 12%; }
  .queue thead th:nth-child(5) { width: 6.5rem; }
  .queue thead th:nth-child(6) { width: 4rem; }
  .queue thead th:nth-child(8) { width: 17%; }
  .queue .split { display: flex; justify-content: space-between; gap: .5rem; }
  .queue .split > :not(:first-child) { flex: none; }
  .queue .split > :first-child { min-width: 0; overflow: hidden; text-overflow: ellipsis; }
}
.case > * { min-width: 0; }
.case .card { padding: 1rem 1.5rem; }
.case > div + :where(.card) { margin-top: 1.25rem; }
.choice input[type=radio] { width: 1.15rem; height: 1.15rem; min-height: 0; margin: .2rem 0 0; accent-color: var(--accent); flex: none; }
.deciding .choice { margin: 0; padding: .15rem 0; }
.decision { display: grid; gap: 1rem; margin: .75rem 0 1.25rem; }
.decision .field { margin-top: .5rem; }
.decision textarea { min-height: 3rem; height: 3.5rem; }
.pair { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0; }
.pair > button { min-height: 2.5rem; padding: .25rem .5rem; font-size: .875rem; flex: 1 1 auto; }
.reasons { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); column-gap: .75rem; }
.deciding form + form { margin-top: .75rem; }
.keys { margin-top: 1rem; }
.keys summary { cursor: pointer; color: var(--accent); width: fit-content; }
kbd { padding: .05rem .4rem; border: 1px solid currentcolor; border-radius: .3rem; font: .75em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.waiting { position: fixed; inset: auto 0 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; background: var(--card); }
.waiting:has(> :first-child:not(:empty)) { border-top: 3px solid var(--accent); }
.console .waiting > p { max-width: none; margin: 0; }
.waiting > p:not(:empty) { padding: .5rem 1rem; }
.waiting > p + p:not([hidden]) { display: flex; gap: .5rem; align-items: center; }
.waiting span { min-width: 2rem; font-weight: 650; }
.clamped blockquote { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.jump { position: sticky; bottom: .75rem; display: block; width: fit-content; margin: 1rem 0 0 auto; padding: .5rem 1.25rem; border-radius: .6rem; background: var(--accent); color: var(--on-accent); font-weight: 600; text-decoration: none; }
.jump:hover { color: var(--on-accent); }
h1[tabindex]:focus, h2[tabindex]:focus { outline: none; }
@media (min-width: 1100px) {
  .case { display: grid; grid-template-columns: minmax(0, 1fr) 26rem; gap: 1.25rem; align-items: start; }
  .case .deciding { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; margin: 0; }
  .jump { display: none; }
}
.bars { margin: 1rem 0; }
.bars svg { display: block; width: 100%; max-width: 28rem; height: 3rem; margin: .5rem 0; border-bottom: 1px solid var(--line); }
.bars rect { fill: var(--accent); }
.listed summary { cursor: pointer; }
.listed .listed { margin-top: .5rem; padding-left: 1rem; }
.pickers { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); gap: .9rem; }
.pickers input, .pickers select { width: 100%; min-width: 0; }
.pickers select { font: inherit; min-height: 2.875rem; padding: .5rem .75rem; color: inherit; background: var(--card); border: 1px solid var(--field); border-radius: .6rem; }
`;
