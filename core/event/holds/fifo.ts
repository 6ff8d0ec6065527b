/** First in, first out, in constant time: an array's own shift moves all that is behind. */
export class Fifo<Item> {
  private items: Item[] = []
  private head = 0

  get first(): Item | undefined {
    return this.items[this.head]
  }

  *[Symbol.iterator](): Generator<Item, void, void> {
    for (let at = this.head; at < this.items.length; at += 1) yield this.items[at]!
  }

  push(item: Item): void {
    this.items.push(item)
  }

  shift(): void {
    this.head += 1
    if (this.head > 32 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head)
      this.head = 0
    }
  }
}
