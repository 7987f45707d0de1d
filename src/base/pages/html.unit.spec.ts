import { describe, expect, it } from '@jest/globals';
import { html } from './html.js';

describe('html', () => {
  it('escapes text and attributes', () => {
    const hostile = `<img src=x onerror="alert('1')">&`;
    expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;">' +
        '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</p>',
    );
  });

  it('inserts HTML, lists of it and nothing unchanged', () => {
    const parts = ['<', '>'].map((each) => html`<b>${each}</b>`);
    expect(html`${parts}${undefined}${html`<i></i>`}`.text).toBe('<b>&lt;</b><b>&gt;</b><i></i>');
  });
});
