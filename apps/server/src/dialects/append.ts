/**
 * Appends all items. A spread in `push` passes them as arguments, whose number is limited: a message of 200,000
 * parts would exceed the stack.
 */
export function append<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
