/** A time that something took, in milliseconds since 1970. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A long time in which nothing happened, drawn shorter than it was. */
export interface Break extends Span {
  /** Where it is drawn: parts of the whole width. */
  readonly x: number
  readonly width: number
}

export interface TimeScale {
  /** Where a time is, from 0 to 1. */
  readonly at: (time: number) => number
  /** The time that is there. */
  readonly timeAt: (x: number) => number
  readonly breaks: ReadonlyArray<Break>
}

/** Idle time is drawn as long as this part of the work; shorter idle times keep their length. */
const idlePart = 0.04

const merged = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const result: Array<Span> = []
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last !== undefined && span.from <= last.to) {
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    } else result.push(span)
  }
  return result
}

/** A scale on which work has its true length and long idle times are short. */
export const makeTimeScale = (spans: ReadonlyArray<Span>): TimeScale => {
  const busy = merged(spans)
  const work = busy.reduce((sum, { from, to }) => sum + to - from, 0)
  const maxIdle = Math.max(1, work * idlePart)
  const pieces: Array<{ readonly from: number; readonly to: number; readonly start: number; readonly length: number }> =
    []
  let length = 0
  const add = (from: number, to: number, drawn: number) => {
    pieces.push({ from, to, start: length, length: drawn })
    length += drawn
  }
  busy.forEach((span, index) => {
    const before = busy[index - 1]
    if (before !== undefined) add(before.to, span.from, Math.min(span.from - before.to, maxIdle))
    add(span.from, span.to, span.to - span.from)
  })
  const total = Math.max(length, 1)
  /** The last piece that begins at the value or before. */
  const pieceAt = (value: number, beginOf: (piece: (typeof pieces)[number]) => number) => {
    let low = 0
    let high = pieces.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      const piece = pieces[middle]
      if (piece !== undefined && beginOf(piece) <= value) low = middle
      else high = middle - 1
    }
    return pieces[low]
  }
  const part = (value: number, from: number, length: number) =>
    length === 0 ? 0 : Math.min(Math.max((value - from) / length, 0), 1)
  return {
    at: (time) => {
      const piece = pieceAt(time, ({ from }) => from)
      if (piece === undefined) return 0
      return (piece.start + part(time, piece.from, piece.to - piece.from) * piece.length) / total
    },
    timeAt: (x) => {
      const piece = pieceAt(x * total, ({ start }) => start)
      if (piece === undefined) return 0
      return piece.from + part(x * total, piece.start, piece.length) * (piece.to - piece.from)
    },
    breaks: pieces.filter((piece) => piece.length < piece.to - piece.from).map(({ from, length, start, to }) => ({
      from,
      to,
      x: start / total,
      width: length / total
    }))
  }
}
