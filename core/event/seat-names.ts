/**
 * Names of seats by ordinal, of which many are the same: rows, and numbers within rows. Each different one is
 * kept once, and a seat takes 2 bytes, or 4 where there are more of them than 2 bytes can tell apart.
 */
export class SeatNames<Name extends number | string> {
  private readonly different: readonly Name[]
  /** By ordinal: which of them. */
  private readonly which: Uint16Array | Uint32Array

  constructor(names: readonly Name[]) {
    const indexOf = new Map<Name, number>()
    for (const name of names) if (!indexOf.has(name)) indexOf.set(name, indexOf.size)
    this.different = [...indexOf.keys()]
    const which = Uint32Array.from(names, name => indexOf.get(name)!)
    this.which = indexOf.size <= 2 ** 16 ? Uint16Array.from(which) : which
  }

  at(ordinal: number): Name | undefined {
    const index = this.which[ordinal]
    return index === undefined ? undefined : this.different[index]
  }
}
