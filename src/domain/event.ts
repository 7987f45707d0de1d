import { z } from 'zod';

/** `type` is stored in the log: dotted, in the past tense, never renamed or reused. */
export interface DomainEvent<Type extends string, Data extends object> {
  readonly type: Type;
  readonly data: Data;
}

/** Unix milliseconds, UTC. */
export interface EventTime {
  readonly at: number;
}

/**
 * `id`: a pseudonym in a column of its own. `clear`: as it is, in a column of its own. `data`: as it is, in the JSON
 * of the column `data`. `omit`: not exported; for texts, digests, and ids that are no subject of a question.
 */
export type Treatment = 'id' | 'clear' | 'data' | 'omit';

interface Field<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  readonly treatment: Treatment;
}

interface PersonalField<Schema extends z.ZodType> extends Field<Schema> {
  readonly placeholder: z.infer<Schema>;
}

type Fields = Readonly<Record<string, Field>>;

export const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
/** Unix milliseconds, UTC. */
export const time = z.int().nonnegative();

const treated =
  (treatment: Treatment) =>
  <Schema extends z.ZodType>(schema: Schema): Field<Schema> => ({ schema, treatment });

export const pseudonym = treated('id');
export const clear = treated('clear');
export const inData = treated('data');
export const omitted = treated('omit');

/** Encrypted under the key of the event's person, and not exported. Once the key is destroyed, it is the placeholder. */
export const personal = <Schema extends z.ZodType>(
  schema: Schema,
  placeholder: z.infer<Schema>,
): PersonalField<Schema> => ({ schema, treatment: 'omit', placeholder });

type ReadonlyList<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;
type Immutable<Data> = { readonly [Name in keyof Data]: ReadonlyList<Data[Name]> };
type SchemasOf<Of extends Fields> = { readonly [Name in keyof Of]: Of[Name]['schema'] };
type DataOf<Of extends Fields> = Immutable<
  z.infer<z.ZodObject<SchemasOf<Of> & { readonly at: typeof time }>>
>;

type Json = Record<string, unknown>;

export interface EventDeclaration<Data extends object> {
  /** Newest version of the data. `upcasters[version - 1]` converts data of a version to the next one, when it is read. */
  readonly version: number;
  readonly upcasters: readonly ((older: Json) => Json)[];
  readonly schema: z.ZodType<Data>;
  /** The time has none. */
  readonly treatments: Readonly<Record<string, Treatment>>;
  readonly personal?: {
    readonly person: (data: Data) => string;
    readonly placeholders: Partial<Data>;
  };
}

/** The event of a type that a noun declares; without one, any of its events. */
export type EventIn<
  Declared extends Readonly<Record<Type, Pick<EventDeclaration<object>, 'schema'>>>,
  Type extends string = keyof Declared & string,
> = { [Each in Type]: DomainEvent<Each, z.infer<Declared[Each]['schema']>> }[Type];

interface Versions {
  /** One for each earlier version. Stored events are never rewritten. */
  readonly upcasters?: EventDeclaration<object>['upcasters'];
}

/** `person`: the field with the id of the person whose key encrypts the personal fields. */
interface WithPerson<Of extends Fields> extends Versions {
  readonly person: { [Name in keyof Of]: Of[Name]['schema'] extends typeof id ? Name : never }[keyof Of];
}

type PersonalOf<Of extends Fields> = Extract<Of[keyof Of], { readonly placeholder: unknown }>;

/** Declares an event with these fields and its time. */
export function event<const Of extends Fields>(
  fields: Of,
  ...[options]: [PersonalOf<Of>] extends [never] ? [Versions?] : [WithPerson<Of>]
): EventDeclaration<DataOf<Of>> {
  const { upcasters = [], person }: Versions & { readonly person?: PropertyKey } = options ?? {};
  const entries = Object.entries<Field | PersonalField<z.ZodType>>(fields);
  const schemas = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]));
  const placeholders = entries.flatMap(([name, field]) =>
    'placeholder' in field ? [[name, field.placeholder]] : [],
  );
  return {
    version: upcasters.length + 1,
    upcasters,
    schema: z.strictObject({ ...schemas, at: time }) as unknown as z.ZodType<DataOf<Of>>,
    treatments: Object.fromEntries(entries.map(([name, { treatment }]) => [name, treatment])),
    ...(person !== undefined && {
      personal: {
        person: (data) => data[person as keyof typeof data] as string,
        placeholders: Object.fromEntries(placeholders) as Partial<DataOf<Of>>,
      },
    }),
  };
}
