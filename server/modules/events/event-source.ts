import type { EventSource } from '@voelgoed/engine/ports/event-source'
import { readLayoutSeats } from '../venues/tables/layout-seats.ts'
import { readZones } from '../venues/tables/layouts.ts'
import { findEvent } from './tables/events.ts'
import { readPolicy } from './tables/policies.ts'

/** Tells the engine of events as their organizers have written them, and of their halls. */
export const eventSource: EventSource = { findEvent, readPolicy, readZones, readSeats: readLayoutSeats }
