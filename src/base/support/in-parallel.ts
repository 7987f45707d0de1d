/** Works on all items, at most `atOnce` of them at a time. After an error it begins no other, and throws it. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items].reverse();
  const workThrough = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop())
      try {
        await work(item);
      } catch (error) {
        left.length = 0;
        throw error;
      }
  };
  await Promise.all(Array.from({ length: atOnce }, workThrough));
}
