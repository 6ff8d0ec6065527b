import { lengthened, longer } from './typed-arrays.ts'

/**
 * Remembers what users took lately, released or not: `holds_per_window` counts it. One line for all users of
 * an event, oldest first, in a ring; each take knows the one of the same user before it. What is older than
 * the window leaves the line at its head, so a user who took nothing lately costs nothing.
 */
export class RecentTakes {
  private at = new Float64Array(16)
  private places = new Int32Array(16)
  private user = new Int32Array(16)
  /** The take of the same user before; NONE, or one that has left the line: see olderThan. */
  private older = new Int32Array(16)
  /** By user: the last one. */
  private newest = new Int32Array(16).fill(NONE)
  private head = 0
  private count = 0

  get bytes(): number {
    const { at, places, user, older, newest } = this
    return [at, places, user, older, newest].reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  add(user: number, { at, places }: { at: number; places: number }): void {
    if (user >= this.newest.length) {
      const known = this.newest.length
      this.newest = lengthened(this.newest, Math.max(user + 1, longer(known))).fill(NONE, known)
    }
    const before = this.newest[user]!
    // All seats of one command have one time, and are one take.
    if (before !== NONE && this.at[before] === at) {
      this.places[before]! += places
      return
    }
    if (this.count === this.at.length) this.grow()
    const take = (this.head + this.count) % this.at.length
    this.at[take] = at
    this.places[take] = places
    this.user[take] = user
    this.older[take] = this.newest[user]!
    this.newest[user] = take
    this.count += 1
  }

  hasAny(user: number): boolean {
    return user < this.newest.length && this.newest[user] !== NONE
  }

  /** The takes of a user, newest first, until `visit` says that it has seen enough. */
  each(user: number, visit: (at: number, places: number) => 'enough' | 'more'): void {
    if (!this.hasAny(user)) return
    for (let take = this.newest[user]!; take !== NONE; take = this.olderThan(take)) {
      if (visit(this.at[take]!, this.places[take]!) === 'enough') return
    }
  }

  /**
   * Drops the oldest take if it is not after `from`, and returns its user when it was their last one; else
   * null.
   */
  dropOldest(from: number): number | null {
    if (this.count === 0 || this.at[this.head]! > from) return null
    const take = this.head
    const user = this.user[take]!
    this.head = (this.head + 1) % this.at.length
    this.count -= 1
    if (this.newest[user] !== take) return null
    this.newest[user] = NONE
    return user
  }

  copy(): RecentTakes {
    const copy = new RecentTakes()
    copy.at = this.at.slice()
    copy.places = this.places.slice()
    copy.user = this.user.slice()
    copy.older = this.older.slice()
    copy.newest = this.newest.slice()
    copy.head = this.head
    copy.count = this.count
    return copy
  }

  private olderThan(take: number): number {
    const older = this.older[take]!
    // A place in the ring that is taken again belongs to a newer take.
    return older !== NONE && this.ageOf(older) < this.ageOf(take) ? older : NONE
  }

  /** 0 for the oldest. */
  private ageOf(take: number): number {
    const distance = take - this.head
    return distance < 0 ? distance + this.at.length : distance
  }

  private grow(): void {
    const { at, places, user, count } = this
    const length = longer(count)
    const older = new Int32Array(length)
    for (let age = 0; age < count; age += 1) {
      const take = (this.head + age) % count
      const before = this.olderThan(take)
      older[age] = before === NONE ? NONE : this.ageOf(before)
      this.newest[user[take]!] = age
    }
    this.at = lengthened(fromHead(at, this.head), length)
    this.places = lengthened(fromHead(places, this.head), length)
    this.user = lengthened(fromHead(user, this.head), length)
    this.older = older
    this.head = 0
  }
}

const NONE = -1

function fromHead<Kind extends Float64Array | Int32Array>(ring: Kind, head: number): Kind {
  const straight = ring.slice() as Kind
  straight.set(ring.subarray(head), 0)
  straight.set(ring.subarray(0, head), ring.length - head)
  return straight
}
