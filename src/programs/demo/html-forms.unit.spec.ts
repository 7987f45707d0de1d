import { describe, expect, it } from '@jest/globals';
import { formsOf } from './html-forms.js';

describe('the forms of a page', () => {
  it('are read with their fields, buttons and targets', () => {
    const page = `
      <!-- <form action="/commented"><input name="x"></form> -->
      <form method="post" action="/sign-in?a=1&amp;b=2">
        <input type="hidden" name="form" value="a&quot;b&#39;c&#x3e;" />
        <input name=handle value='' required autofocus>
        <input disabled type="text">
        <input type="checkbox" name="unticked" value="x">
        <input type="checkbox" name="ticked" value="y" checked>
        <button class="main" name="decision" value="allow">Allow</button>
        <button type="submit">Send</button>
      </form>
      <form></form>`;
    expect(formsOf(page)).toEqual([
      {
        action: '/sign-in?a=1&b=2',
        method: 'post',
        fields: { form: `a"b'c>`, handle: '', ticked: 'y' },
        buttons: [{ name: 'decision', value: 'allow' }],
      },
      { action: '', method: 'get', fields: {}, buttons: [] },
    ]);
  });
});
