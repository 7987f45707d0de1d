/** Added to the common sheet (src/base/pages/style.ts). */
export const landingStyle = `
.wide header, .wide main, .wide footer { max-width: 68rem; }
.opening { display: grid; gap: 1rem 4rem; align-items: center; padding: clamp(.5rem, 3vw, 3rem) 0 clamp(2.5rem, 6vw, 5rem); }
.opening h1 { margin: .25rem 0 1.25rem; font-size: clamp(2.125rem, 1.5rem + 2.6vw, 3.5rem); line-height: 1.08; letter-spacing: -.03em; }
.opening p { max-width: 36rem; }
.lead { font-size: clamp(1.0625rem, 1rem + .3vw, 1.25rem); }
.host { margin: 0; font-weight: 600; color: var(--accent); }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 2rem; }
.action {
  display: inline-flex; align-items: center; justify-content: center; min-height: 3rem; padding: .5rem 1.5rem; font-weight: 600;
  border: 1px solid var(--field); border-radius: .6rem; color: var(--text); text-decoration: none;
}
.action:hover { border-color: var(--text); color: var(--text); }
.action.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.action.main:hover { background: var(--accent-strong); border-color: var(--accent-strong); color: var(--on-accent); }
.action:focus-visible { border-radius: .6rem; }
.arcade { display: none; width: 100%; color: var(--accent); }
@media (min-width: 60rem) { .opening { grid-template-columns: minmax(0, 7fr) minmax(0, 4fr); } .arcade { display: block; } }
.columns { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); margin-bottom: 1.25rem; }
.columns > .card + .card { margin-top: 0; }
.card + .columns { margin-top: 1.25rem; }
.numbers { display: flex; flex-wrap: wrap; gap: 1rem 3rem; margin: 0 0 .75rem; }
.numbers div { display: flex; flex-direction: column-reverse; }
.numbers dd { margin: 0; font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -.02em; }
.numbers dt { color: var(--quiet); }
`;
