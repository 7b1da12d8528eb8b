/**
 * Creates an async generator from two functions. It costs one promise per value, where `async function*`
 * costs several and a queue. Meant for data that passes piece by piece.
 * @param next returns the next value; undefined at the end
 * @param close called once: at the end, after an error, or when the reader leaves, even before the first
 * value
 */
export function generatorOf<Value extends object | string>(
  next: () => Promise<Value | undefined>,
  close: () => Promise<void> | void,
): AsyncGenerator<Value, void, undefined> {
  let isOver = false;
  let pending: Promise<Value | undefined> | undefined;

  async function end(): Promise<void> {
    if (isOver) return;
    isOver = true;
    await close();
  }

  const generator: AsyncGenerator<Value, void, undefined> = {
    async next() {
      if (isOver) return { done: true, value: undefined };
      try {
        const value = await (pending = next());
        pending = undefined;
        if (value !== undefined) return { done: false, value };
      } catch (error) {
        await end();
        throw error;
      }
      await end();
      return { done: true, value: undefined };
    },
    async return() {
      // As with a generator, a reader that leaves waits for the value that it requested.
      await pending?.catch(() => {});
      await end();
      return { done: true, value: undefined };
    },
    async throw(error: unknown) {
      await generator.return();
      throw error;
    },
    [Symbol.asyncIterator]: () => generator,
    async [Symbol.asyncDispose]() {
      await generator.return();
    },
  };
  return generator;
}
