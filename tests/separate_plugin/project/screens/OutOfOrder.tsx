/** A screen that breaks, to show that nothing else does. */
export function OutOfOrder(): never {
  throw new Error("This screen is out of order");
}
