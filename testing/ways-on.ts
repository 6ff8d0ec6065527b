/**
 * Proves that a pattern takes linear time, or says where it may not: builds the automaton of its characters
 * (Glushkov's) and looks for a place from which one character leads to two places. Where there is none, a
 * backtracking matcher never has anything to go back to. Such a pattern must also begin with `^`, so that the
 * matcher does not try it again from every character; a single class, like `\S`, need not.
 *
 * Knows what our patterns need: characters, classes, groups, `|`, `?`, `*`, `+`, `{m,n}`. Throws at the rest.
 */
export function waysOn(pattern: string): string[] {
  if (isOneClass(pattern)) return []
  const problems = pattern.startsWith('^') ? [] : ['it does not begin with ^']
  const { first, follow } = new Automaton(pattern.replace(/^\^/, '').replace(/\$$/, ''))
  for (const places of [first, ...follow]) {
    for (const [i, one] of places.entries()) {
      const other = places.slice(i + 1).find(candidate => overlap(one.text, candidate.text))
      if (other) problems.push(`${one.text} and ${other.text}`)
    }
  }
  return problems
}

interface Place {
  readonly index: number
  readonly text: string
}

interface Part {
  readonly canBeEmpty: boolean
  readonly first: readonly Place[]
  readonly last: readonly Place[]
}

const EMPTY: Part = { canBeEmpty: true, first: [], last: [] }

class Automaton {
  readonly first: readonly Place[]
  readonly follow: Place[][] = []
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.first = this.#alternatives().first
    if (this.#at < text.length) throw new Error(`can not read ${text} from ${this.#at} on`)
  }

  #alternatives(): Part {
    let part = this.#sequence()
    while (this.#text[this.#at] === '|') {
      this.#at += 1
      const other = this.#sequence()
      part = {
        canBeEmpty: part.canBeEmpty || other.canBeEmpty,
        first: [...part.first, ...other.first],
        last: [...part.last, ...other.last],
      }
    }
    return part
  }

  #sequence(): Part {
    let part = EMPTY
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at]!)) {
      part = this.#then(part, this.#repeated())
    }
    return part
  }

  #then(before: Part, after: Part): Part {
    for (const place of before.last) this.follow[place.index]!.push(...after.first)
    return {
      canBeEmpty: before.canBeEmpty && after.canBeEmpty,
      first: before.canBeEmpty ? [...before.first, ...after.first] : before.first,
      last: after.canBeEmpty ? [...before.last, ...after.last] : after.last,
    }
  }

  /** Counted repetitions are written out: `a{2,3}` is `aa(?:a)?`. */
  #repeated(): Part {
    const start = this.#at
    let part = this.#atom()
    const match = /^(?:[?*+]|\{(\d+)(?:,(\d+))?\})/.exec(this.#text.slice(this.#at))
    if (!match) return part
    const end = this.#at + match[0].length
    if (match[0] === '?') part = { ...part, canBeEmpty: true }
    else if (match[0] === '*' || match[0] === '+') {
      for (const place of part.last) this.follow[place.index]!.push(...part.first)
      if (match[0] === '*') part = { ...part, canBeEmpty: true }
    } else {
      const least = Number(match[1])
      const most = Number(match[2] ?? match[1])
      const copies = [part]
      while (copies.length < most) {
        this.#at = start
        copies.push(this.#atom())
      }
      // From the last: each copy beyond the least may be left out together with all that follow it.
      part = copies.reduceRight((rest, copy, i) => {
        const both = this.#then(copy, rest)
        return i >= least ? { ...both, canBeEmpty: true } : both
      }, EMPTY)
    }
    this.#at = end
    return part
  }

  #atom(): Part {
    const rest = this.#text.slice(this.#at)
    const group = /^\((?:\?:)?/.exec(rest)
    if (group) {
      this.#at += group[0].length
      const part = this.#alternatives()
      if (this.#text[this.#at] !== ')') throw new Error(`no ) at ${this.#at} in ${this.#text}`)
      this.#at += 1
      return part
    }
    const single = /^(?:\[(?:\\.|[^\]\\])*\]|\\[dDwWsS.\-/:]|[^\\^$*+?()[\]{}|])/u.exec(rest)
    if (!single) throw new Error(`can not read ${this.#text} from ${this.#at} on`)
    this.#at += single[0].length
    const place = { index: this.follow.length, text: single[0] }
    this.follow.push([])
    return { canBeEmpty: false, first: [place], last: [place] }
  }
}

function isOneClass(pattern: string): boolean {
  return /^(?:\\[dDwWsS]|\[(?:\\.|[^\]\\])*\])$/.test(pattern)
}

/** Every ASCII character, and some from beyond it: spaces, letters, one of two units. */
const SAMPLE = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), ...' \u2028éß中😀']

function overlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map(text => new RegExp(`^${text}$`, 'u'))
  return SAMPLE.some(character => a!.test(character) && b!.test(character))
}
