import type { HallPlan, SectionPlan, StandingPlan } from '@voelgoed/core/layout/plan/hall-plan'

type Draft<T> = { -readonly [K in keyof T]: T[K] }
export type SectionDraft = Draft<SectionPlan>
export type StandingDraft = Draft<StandingPlan>
export interface PlanDraft {
  stage: string
  curve: number
  parts: (SectionDraft | StandingDraft)[]
}

/** A small theatre: something to look at from the first moment, and to change. */
export function firstPlan(words: { stage: string; stalls: string; standard: string }): PlanDraft {
  return { stage: words.stage, curve: 40, parts: [section(words.stalls, words.standard)] }
}

export function section(name: string, category: string): SectionDraft {
  return {
    kind: 'seats',
    name,
    isBeside: false,
    level: '',
    category,
    rows: 10,
    seats: 14,
    morePerRow: 2,
    rowNames: 'letters',
    firstRow: 'A',
    skipsIAndO: true,
    numbersFrom: 'left',
    numbers: 'all',
    firstNumber: 1,
    aisles: 1,
    aisleWidth: 2,
    wheelchairs: 2,
    wheelchairRow: 'last',
  }
}

export function standing(name: string): StandingDraft {
  return { kind: 'standing', name, isBeside: false, level: '', places: 200 }
}

/** `Stalls`, `Stalls 2`, `Stalls 3`. */
export function freeName(wanted: string, parts: PlanDraft['parts']): string {
  const taken = new Set(parts.map(({ name }) => name))
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted} ${count}`
    if (!taken.has(name)) return name
  }
}

export function planOf(draft: PlanDraft): HallPlan {
  return {
    stage: draft.stage.trim(),
    curve: draft.curve,
    parts: draft.parts.map(part =>
      part.kind === 'standing'
        ? { ...part, name: part.name.trim(), level: part.level.trim() }
        : {
            ...part,
            name: part.name.trim(),
            level: part.level.trim(),
            category: part.category.trim(),
            firstRow: String(part.firstRow).trim().toUpperCase(),
          },
    ),
  }
}
