export interface HtmlForm {
  readonly action: string;
  readonly method: 'get' | 'post';
  readonly fields: Readonly<Record<string, string>>;
  readonly buttons: readonly { readonly name: string; readonly value: string }[];
}

type Attributes = ReadonlyMap<string, string>;

const TAG = /<(input|button)\b((?:"[^"]*"|'[^']*'|[^'">])*)>/gi;
const ATTRIBUTE = /([^\s=>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g;

/**
 * Returns the forms of a page, with their input fields and buttons: pages of the network have no other elements in
 * forms.
 */
export function formsOf(page: string): HtmlForm[] {
  return [...page.replaceAll(/<!--.*?-->/gs, '').matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].map(
    ([, formTag = '', inside = '']) => formOf(attributesOf(formTag), inside),
  );
}

function formOf(formAttributes: Attributes, inside: string): HtmlForm {
  const elements = [...inside.matchAll(TAG)].map(([, tag = '', rest = '']) => ({
    isButton: tag.toLowerCase() === 'button',
    attributes: attributesOf(rest),
  }));
  const named = elements
    // Browsers do not send unticked checkboxes.
    .filter(({ attributes }) => attributes.get('type') !== 'checkbox' || attributes.has('checked'))
    .map(({ isButton, attributes }) => ({
      isButton,
      name: attributes.get('name') ?? '',
      value: attributes.get('value') ?? '',
    }))
    .filter(({ name }) => name !== '');
  return {
    action: formAttributes.get('action') ?? '',
    method: formAttributes.get('method')?.toLowerCase() === 'post' ? 'post' : 'get',
    fields: Object.fromEntries(
      named.filter(({ isButton }) => !isButton).map(({ name, value }) => [name, value]),
    ),
    buttons: named.filter(({ isButton }) => isButton).map(({ name, value }) => ({ name, value })),
  };
}

function attributesOf(text: string): Attributes {
  return new Map(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      unescape(double ?? single ?? bare ?? ''),
    ]),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replaceAll(
    /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
    },
  );
}
