/** True if `/readyz` answers 200; false if it answers anything else or nothing. */
export async function isReady(baseUrl: string): Promise<boolean> {
  const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}
