/** A start tag. Names are without the prefix `svg:`; attributes keep theirs. */
export interface XmlTag {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  /** From 0, in the order of the document. */
  readonly index: number
}

export interface XmlReader {
  open(tag: XmlTag): void
  close(name: string): void
  text(text: string): void
}

const MOST_TAGS = 1_000_000
const DEEPEST = 100
const MOST_ATTRIBUTES = 200

/** One attribute. Each part ends where the next begins, so a long tag takes no longer than it is. */
const ATTRIBUTE = /\s+([^\s=/>"'<]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y
const NAME = /[^\s/>"'<=]+/y
const TAG_END = /\s*(\/?)>/y

/**
 * Reads XML and runs nothing in it: no entities but the five of XML and numbers, no document type with
 * declarations, nothing from elsewhere. Each character is looked at once or twice. Returns why it stopped, or
 * null at the end.
 */
export function readXml(text: string, reader: XmlReader): string | null {
  const names: string[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  let index = 0
  for (;;) {
    const tag = text.indexOf('<', at)
    if (names.length > 0 && tag > at) reader.text(decode(text.slice(at, tag)))
    if (tag === -1) break
    const after = skipped(text, tag, reader)
    if (typeof after === 'string') return after
    if (after !== null) {
      at = after
      continue
    }
    if (text[tag + 1] === '/') {
      const end = text.indexOf('>', tag)
      const name = end === -1 ? '' : local(text.slice(tag + 2, end).trim())
      if (names.pop() !== name) return `A tag is not closed, or closed twice: ${name.slice(0, 60)}.`
      reader.close(name)
      at = end + 1
      continue
    }
    const read = readTag(text, tag + 1, index)
    if (!read) return `A tag can not be read: ${text.slice(tag, tag + 40)}.`
    if (++index > MOST_TAGS) return `There are more than ${MOST_TAGS} elements.`
    reader.open(read.tag)
    if (read.isEmpty) reader.close(read.tag.name)
    else names.push(read.tag.name)
    if (names.length > DEEPEST) return `Elements are nested more than ${DEEPEST} deep.`
    at = read.end
  }
  return names.length > 0 ? `The text ends inside of ${names.at(-1)!.slice(0, 60)}.` : null
}

/** Comments, instructions, the document type: where they end. Null: it is a tag. */
function skipped(text: string, at: number, reader: XmlReader): number | string | null {
  if (text.startsWith('<!--', at)) return endOf(text, '-->', at)
  if (text.startsWith('<?', at)) return endOf(text, '?>', at)
  if (text.startsWith('<![CDATA[', at)) {
    const end = endOf(text, ']]>', at)
    if (typeof end === 'number') reader.text(text.slice(at + 9, end - 3))
    return end
  }
  if (!text.startsWith('<!', at)) return null
  const end = endOf(text, '>', at)
  if (typeof end === 'number' && text.slice(at, end).includes('[')) {
    return 'The document type has declarations, which are not read: save the drawing as plain SVG.'
  }
  return end
}

function endOf(text: string, mark: string, at: number): number | string {
  const end = text.indexOf(mark, at)
  return end === -1 ? 'A comment or an instruction is not closed.' : end + mark.length
}

function readTag(
  text: string,
  at: number,
  index: number,
): { tag: XmlTag; end: number; isEmpty: boolean } | null {
  NAME.lastIndex = at
  const name = NAME.exec(text)?.[0]
  if (name === undefined) return null
  const attributes = new Map<string, string>()
  let next = at + name.length
  for (;;) {
    ATTRIBUTE.lastIndex = next
    const found = ATTRIBUTE.exec(text)
    if (!found) break
    if (attributes.size === MOST_ATTRIBUTES) return null
    attributes.set(found[1]!, decode(found[2] ?? found[3] ?? ''))
    next = ATTRIBUTE.lastIndex
  }
  TAG_END.lastIndex = next
  const end = TAG_END.exec(text)
  if (!end) return null
  return { tag: { name: local(name), attributes, index }, end: TAG_END.lastIndex, isEmpty: end[1] === '/' }
}

function local(name: string): string {
  return name.startsWith('svg:') ? name.slice(4) : name
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** An unknown entity stays as it is written. */
function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name]! : whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
  })
}
