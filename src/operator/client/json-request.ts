export function jsonRequest(
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): RequestInit {
  if (body === undefined) return { method, headers };
  return { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
