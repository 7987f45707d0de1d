export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

export const named = (name: string) => `"${name}"`;
