/** Runs in the browser: copies blocks of code, and searches the menu. The pages are whole without it. */
export const docsScript = `'use strict';
(() => {
  const menu = document.getElementById('menu');
  const field = document.getElementById('search');
  const status = menu.querySelector('[role=status]');

  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    const name = block.querySelector('figcaption')?.textContent ?? 'Block';
    const say = (text) => {
      button.textContent = text;
      button.setAttribute('aria-label', text + ': ' + name);
    };
    say('Copy');
    button.setAttribute('aria-live', 'polite');
    button.addEventListener('click', async () => {
      const code = block.querySelector('code');
      // Only a page at https or localhost has a clipboard.
      if (navigator.clipboard) await navigator.clipboard.writeText(code.textContent);
      else getSelection().selectAllChildren(code);
      say(navigator.clipboard ? 'Copied' : 'Selected');
      setTimeout(() => say('Copy'), 2000);
    });
    block.append(button);
  }

  // The name, the name with its words, and all of each: the shorter the text that is found, the better.
  const items = [...menu.querySelectorAll('li')].map((item) => {
    const { words = '', text = '' } = item.dataset;
    const name = item.textContent;
    return { item, texts: [name, name + ' ' + words, name + ' ' + words + ' ' + text].map((each) => each.toLowerCase()) };
  });
  let best;
  const search = () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    best = undefined;
    for (const { item, texts } of items) {
      const rank = texts.findIndex((text) => words.every((word) => text.includes(word)));
      item.hidden = rank < 0;
      if (rank >= 0 && (best === undefined || rank < best.rank)) best = { rank, item };
    }
    for (const group of menu.querySelectorAll('.group'))
      group.hidden = words.length === 0 ? 'found' in group.dataset : !group.querySelector('li:not([hidden])');
    const found = items.filter(({ item }) => !item.hidden).length;
    status.textContent = words.length === 0 ? '' : found === 0 ? 'Nothing found' : found + ' found';
  };
  field.closest('.search').hidden = false;
  field.addEventListener('input', search);
  field.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter' && field.value.trim() !== '') best?.item.querySelector('a').click();
  });
  menu.addEventListener('click', ({ target }) => {
    if (target.closest('a') && menu.matches(':popover-open')) menu.hidePopover();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input')) return;
    event.preventDefault();
    if (getComputedStyle(menu).display === 'none') menu.showPopover();
    field.focus();
  });
  // A page that the browser brings back has the text of an earlier search.
  search();
  menu.scrollTop = menu.querySelector('[aria-current]').offsetTop - menu.clientHeight / 2;
})();
`;
