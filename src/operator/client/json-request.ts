export function jsonRequest(
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): RequestInit {
  if (body === undefined) return { method, headers };
  return { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The query of an address. Undefined fields are left out. */
export function queryText(fields: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  return query.toString();
}
