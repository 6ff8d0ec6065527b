import { assert } from '../result.ts'
import { arcAround, roundedRectangle } from './generate/curve.ts'
import { dressSections, PRICE_CATEGORIES, rowLabel } from './generate/dress.ts'
import { randomNumbers } from './generate/random-numbers.ts'
import { fillTiers, ROW_PITCH, SEAT_PITCH, TIER_GAP, type Tier } from './generate/tiers.ts'
import { LAYOUT_LIMITS, type LayoutConfig, type Point, type SeatConfig, type ZoneConfig } from './model.ts'

export interface VenueOptions {
  readonly kind: 'theatre' | 'arena' | 'stadium'
  /** Exactly so many numbered seats. */
  readonly seats: number
  /** Places on an arena's floor, besides the seats. */
  readonly standing?: number
  /** In a theatre, stalls, circle and balconies are levels. */
  readonly levels?: boolean
  /** Another seed puts pillars and wheelchair places elsewhere. */
  readonly seed?: number
}

/**
 * A venue as one might be built: for demonstrations, benchmarks and tests. Equal options give equal venues.
 * Ten units are the width of a seat, about half a metre.
 */
export function generateVenue(options: VenueOptions): LayoutConfig {
  const { kind, seats, standing = 0, levels = false, seed = 1 } = options
  assert(
    Number.isInteger(seats) && seats >= 1 && seats <= LAYOUT_LIMITS.seats,
    'a venue has 1 to 250,000 seats',
  )
  assert(standing === 0 || kind === 'arena', 'only an arena has a floor to stand on')
  assert(!levels || kind === 'theatre', 'only a theatre has levels')
  const random = randomNumbers(seed)
  return kind === 'theatre' ? theatre(seats, levels, random) : bowl(kind, seats, standing, random)
}

/** Levels of curved rows before a stage. The stage is at the origin; the audience sits below it. */
function theatre(seats: number, hasLevels: boolean, random: () => number): LayoutConfig {
  const angle = (110 / 180) * Math.PI
  const rows = Math.max(2, Math.round(0.6 * Math.sqrt(seats)))
  const levelNames = ['Stalls', 'Circle', 'Balcony', 'Upper Balcony', 'Gallery']
  const nameOf = (level: number) => levelNames[level] ?? `Gallery ${level - 3}`
  const levelOf = (level: number) => (hasLevels ? { level: nameOf(level) } : {})
  const levels = Math.max(1, Math.min(levelNames.length, Math.round(rows / 7)), Math.ceil(rows / 30))
  const stallsRows = levels === 1 ? rows : Math.ceil(Math.min(rows * 0.45, 30))
  const rowsByLevel = [stallsRows, ...shareOut(rows - stallsRows, levels - 1)]
  const tiers = stackTiers(rowsByLevel, (levelRows, level) => {
    const levelSeats = (seats * levelRows) / rows
    const sections = Math.max(1, Math.round(levelSeats / SEATS_PER_SECTION))
    return {
      sectionNames: sideNames(nameOf(level), sections),
      blocksPerSection: Math.max(1, Math.round(levelSeats / levelRows / sections / 14)),
    }
  })
  const { size, sections } = fillTiers(radius => arcAround({ x: 0, y: 0 }, radius, angle), tiers, seats)
  const { zones, pillars } = dressSections(sections, { random, pillars: true })

  const firstRow = size + TIER_GAP
  return {
    zones: zones.map((zone, index) => ({ ...zone, ...levelOf(sections[index]!.tierIndex) })),
    price_categories: PRICE_CATEGORIES.map(category => ({ ...category })),
    focal_point: { x: 0, y: 0 },
    outlines: [
      { kind: 'stage', label: 'Stage', points: thrustStage(firstRow) },
      ...pillars.map(({ points, tierIndex }) => ({
        kind: 'shape' as const,
        label: null,
        points,
        ...levelOf(tierIndex),
      })),
    ],
  }
}

/** Tiers all around a floor or a pitch: sections 101, 102 … of the first tier, 201 … of the second. */
function bowl(
  kind: 'arena' | 'stadium',
  seats: number,
  standing: number,
  random: () => number,
): LayoutConfig {
  const shape =
    kind === 'arena' ? { ratio: 1.8, corner: 0.3, tierRows: 24 } : { ratio: 1.5, corner: 0.5, tierRows: 36 }
  const rows = Math.max(2, Math.round(0.3 * Math.sqrt(seats)))
  const rowsByTier = shareOut(rows, Math.ceil(rows / shape.tierRows))
  const tiers = stackTiers(rowsByTier, (tierRows, tier) => {
    const tierSeats = (seats * tierRows) / rows
    const sections = Math.min(seats, 4 * Math.max(1, Math.round(tierSeats / SEATS_PER_SECTION / 4)))
    const digits = Math.max(2, String(sections).length)
    return {
      sectionNames: Array.from({ length: sections }, (_, section) => {
        return `Section ${tier + 1}${String(section + 1).padStart(digits, '0')}`
      }),
      blocksPerSection: Math.max(1, Math.round(tierSeats / tierRows / sections / 30)),
    }
  })
  const curveOfSize = (height: number) =>
    roundedRectangle(shape.ratio * height, height, shape.corner * height)
  const { size, sections } = fillTiers(curveOfSize, tiers, seats)
  const { zones } = dressSections(sections, { random, pillars: false })

  const floor = { width: round(0.8 * shape.ratio * size), height: round(0.8 * size) }
  const stageWidth = kind === 'arena' ? round(floor.width / 5) : floor.width
  const focalPoint = { x: round((stageWidth - floor.width) / 2), y: 0 }
  if (standing > 0) zones.unshift(standingFloor(standing, floor, stageWidth))
  return {
    zones,
    price_categories: PRICE_CATEGORIES.map(category => ({ ...category })),
    focal_point: focalPoint,
    outlines: [
      {
        kind: 'stage',
        label: kind === 'arena' ? 'Stage' : 'Pitch',
        points: rectangle(focalPoint, stageWidth, floor.height),
      },
    ],
  }
}

/**
 * The spec's festival: 300 reserved, 400 seated without numbers, 300 standing, 50 for members; 1,050 in all.
 */
export function festival(): LayoutConfig {
  const orchestra = block({ rows: 12, seatsPerRow: 25, priceCategory: 'orchestra', centre: { x: 0, y: 500 } })
  for (const [wheelchair, companion] of [
    [0, 1],
    [24, 23],
  ] as const) {
    const lastRow = orchestra.slice(-25)
    lastRow[wheelchair]!.category = 'wheelchair'
    lastRow[wheelchair]!.companion_seat_label = `L-${companion + 1}`
    lastRow[companion]!.category = 'companion'
  }
  return {
    zones: [
      {
        name: 'Orchestra',
        zone_type: 'reserved_seating',
        outline: rectangle({ x: 0, y: 500 }, 280, 200),
        seats: orchestra,
      },
      {
        name: 'Floor',
        zone_type: 'ga_seated',
        capacity: 400,
        outline: rectangle({ x: 0, y: 300 }, 400, 160),
      },
      {
        name: 'Pit',
        zone_type: 'ga_standing',
        capacity: 300,
        outline: rectangle({ x: 0, y: 140 }, 400, 120),
      },
      {
        name: 'VIP Lounge',
        zone_type: 'vip_reserved',
        access_mode: 'membership_tier',
        membership_tier: 'voelgoed_vriendinne',
        outline: rectangle({ x: 300, y: 200 }, 120, 180),
        seats: block({ rows: 10, seatsPerRow: 5, priceCategory: 'vip', centre: { x: 300, y: 200 } }),
      },
    ],
    price_categories: [
      { key: 'orchestra', label: 'Orchestra', color: '#2471a3' },
      { key: 'vip', label: 'VIP', color: '#b9770e' },
    ],
    focal_point: { x: 0, y: 0 },
    outlines: [{ kind: 'stage', label: 'Stage', points: rectangle({ x: 0, y: 0 }, 400, 100) }],
  }
}

/** Straight rows on even ground. */
function block(options: {
  rows: number
  seatsPerRow: number
  priceCategory: string
  centre: Point
}): SeatConfig[] {
  const { rows, seatsPerRow, priceCategory, centre } = options
  return Array.from({ length: rows * seatsPerRow }, (_, index) => {
    const row = Math.floor(index / seatsPerRow)
    const place = index % seatsPerRow
    return {
      row: rowLabel(row),
      number: place + 1,
      price_category: priceCategory,
      coordinates: {
        x: centre.x + (place - (seatsPerRow - 1) / 2) * SEAT_PITCH,
        y: centre.y + (row - (rows - 1) / 2) * ROW_PITCH,
      },
    }
  })
}

const SEATS_PER_SECTION = 700

function stackTiers(
  rowsByTier: readonly number[],
  describe: (rows: number, tier: number) => Pick<Tier, 'sectionNames' | 'blocksPerSection'>,
): Tier[] {
  let firstOffset = TIER_GAP
  return rowsByTier.map((rows, tier) => {
    const stacked = { firstOffset, rows, ...describe(rows, tier) }
    firstOffset += rows * ROW_PITCH + TIER_GAP
    return stacked
  })
}

function standingFloor(
  capacity: number,
  floor: { width: number; height: number },
  stageWidth: number,
): ZoneConfig {
  const centre = { x: stageWidth / 2, y: 0 }
  const outline = rectangle(centre, floor.width - stageWidth - TIER_GAP / 2, floor.height)
  return { name: 'Floor', zone_type: 'ga_standing', capacity, outline }
}

/** As seen by a person who looks at the stage; the curve runs from right to left. */
function sideNames(level: string, sections: number): string[] {
  if (sections === 1) return [level]
  if (sections === 2) return [`${level} Right`, `${level} Left`]
  if (sections === 3) return [`${level} Right`, `${level} Centre`, `${level} Left`]
  return Array.from({ length: sections }, (_, section) => `${level} ${section + 1}`)
}

/** Whole numbers that add up to the total and differ by at most one. */
function shareOut(total: number, parts: number): number[] {
  return Array.from({ length: parts }, (_, part) => {
    return Math.floor((total * (part + 1)) / parts) - Math.floor((total * part) / parts)
  })
}

/** Straight at the back, and round where the first row sits around it. */
function thrustStage(firstRow: number): Point[] {
  const steps = 12
  const front = Array.from({ length: steps + 1 }, (_, step) => {
    const angle = ((32 + (116 * step) / steps) / 180) * Math.PI
    return { x: round(0.72 * firstRow * Math.cos(angle)), y: round(0.62 * firstRow * Math.sin(angle)) }
  })
  const back = { x: round(0.5 * firstRow), y: round(-0.16 * firstRow) }
  return [{ x: -back.x, y: back.y }, back, ...front]
}

function rectangle(centre: Point, width: number, height: number): Point[] {
  const { x, y } = centre
  return [
    { x: round(x - width / 2), y: round(y - height / 2) },
    { x: round(x + width / 2), y: round(y - height / 2) },
    { x: round(x + width / 2), y: round(y + height / 2) },
    { x: round(x - width / 2), y: round(y + height / 2) },
  ]
}

function round(value: number): number {
  return Math.round(value * 10) / 10 + 0
}
