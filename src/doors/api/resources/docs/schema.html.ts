import { html } from '../../../../base/pages/html.js';
import type { Html } from '../../../../base/pages/html.js';
import type { JsonSchema } from '../../openapi/schemas.js';

interface SchemaParts {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** The schemas of the document by name (`components.schemas`). */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

const nameOf = ({ $ref }: SchemaParts): string | undefined => $ref?.split('/').at(-1);

/** The named schema that a schema refers to, or else itself. */
export function resolved(schema: JsonSchema, named: NamedSchemas): JsonSchema {
  return named[nameOf(schema) ?? ''] ?? schema;
}

/**
 * Returns the type of a schema as a short text, like `list of Post`, `string or null`, `"follow" or "like"`, `integer,
 * from 1 to 500`.
 */
export function typeOf(schema: JsonSchema): Html {
  const { type, const: constant, enum: values, items, anyOf, oneOf }: SchemaParts = schema;
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="/docs/schemas#schema-${name}">${name}</a>`;
  if (constant !== undefined) return html`<code>${JSON.stringify(constant)}</code>`;
  if (values) return either(values.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  const choices = anyOf ?? oneOf;
  if (choices) return either(choices.map(typeOf));
  if (items) return html`list of ${typeOf(items)}`;
  return html`${[type ?? 'anything'].flat().join(' or ')}${boundsOf(schema)}`;
}

function either(choices: readonly Html[]): Html {
  return html`${choices.map((choice, index) => (index === 0 ? choice : html` or ${choice}`))}`;
}

function boundsOf({ minimum, maximum, minLength, maxLength, pattern }: SchemaParts): Html | undefined {
  const least = minimum ?? minLength;
  const most = maximum ?? maxLength;
  const from = least === undefined || most === undefined ? '' : ` from ${least}`;
  const to =
    most === undefined || most === Number.MAX_SAFE_INTEGER
      ? ''
      : ` ${least === undefined ? 'up to' : 'to'} ${most}`;
  const unit = minLength === undefined && maxLength === undefined ? '' : ' characters';
  if (pattern !== undefined) return html` <code class="pattern">${pattern}</code>`;
  return from + to === '' ? undefined : html`<span class="quiet">${`,${from}${to}${unit}`}</span>`;
}

/**
 * Lists the fields of an object schema; undefined without fields. Each alternative of a schema has a list of its own.
 * `named`: the schema and its alternatives may be references to these.
 */
export function fieldsHtml(schema: JsonSchema, named: NamedSchemas = {}): Html | undefined {
  const { properties, required = [], oneOf, anyOf, allOf, items }: SchemaParts = resolved(schema, named);
  const parts = oneOf ?? anyOf ?? allOf;
  if (parts) {
    const lists = parts.flatMap((part) => fieldsHtml(part, named) ?? []);
    if (lists.length === 0) return undefined;
    const word = oneOf || anyOf ? 'or' : 'and';
    return html`${lists.map((list, at) =>
      at === 0
        ? list
        : html`<p class="small quiet">${word}</p>
            ${list}`,
    )}`;
  }
  if (items) return fieldsHtml(items);
  if (!properties) return undefined;
  const rows = Object.entries(properties).map(([name, field]) =>
    fieldOf(name, field, required.includes(name)),
  );
  return html`<dl class="fields-of">${rows}</dl>`;
}

/** The names of an object's own fields, and of those of its alternatives. */
export function fieldNamesOf(schema: JsonSchema, named: NamedSchemas): readonly string[] {
  const { properties = {}, oneOf, anyOf }: SchemaParts = resolved(schema, named);
  return [...Object.keys(properties), ...(oneOf ?? anyOf ?? []).flatMap((part) => fieldNamesOf(part, named))];
}

function fieldOf(name: string, field: JsonSchema, isRequired: boolean): Html {
  const { description }: SchemaParts = field;
  return html`<div>
    <dt><code>${name}</code>${isRequired ? undefined : html` <span class="quiet small">optional</span>`}</dt>
    <dd>
      ${typeOf(field)}${description === undefined ? undefined : html`<br /><span class="quiet">${descriptionHtml(description)}</span>`}${fieldsHtml(field)}
    </dd>
  </div>`;
}

export function descriptionHtml(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
  return html`${parts}`;
}
