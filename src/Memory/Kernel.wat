;; How near sketches are to a query: the inner loop of a search. Sketch.ts says what the bytes of a sketch are.
;; Kernel.ts holds this module assembled; test/Memory/Kernel.test.ts assembles it anew and compares.
(module
  (memory (export "memory") 1)

  ;; Writes to $out, for each of $count sketches (at least one) that follow each other from $row on, the sum over its
  ;; blocks of: scale * (digits . digits of the query). $head is what stands before a sketch's digits, in bytes; the
  ;; query is one i16 a dimension.
  (func (export "score")
    (param $query i32) (param $row i32) (param $count i32) (param $blocks i32) (param $head i32) (param $out i32)
    (local $q i32) (local $scale i32) (local $digits i32) (local $left i32)
    (local $sum v128) (local $even v128) (local $odd v128)
    (loop $rows
      (local.set $q (local.get $query))
      (local.set $scale (i32.add (local.get $row) (i32.const 4)))
      (local.set $digits (i32.add (local.get $row) (local.get $head)))
      (local.set $left (local.get $blocks))
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (loop $each
        ;; 64 dimensions, 8 at a time: digits widened to i16, multiplied, neighbours added to i32. No sum of a block can
        ;; overflow. Even and odd eights are added apart, so that one addition need not wait for the other.
        (local.set $even
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $digits)) (v128.load (local.get $q))))
        (local.set $odd
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $digits)) (v128.load offset=16 (local.get $q))))
        (local.set $even (i32x4.add (local.get $even)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $digits)) (v128.load offset=32 (local.get $q)))))
        (local.set $odd (i32x4.add (local.get $odd)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=24 (local.get $digits)) (v128.load offset=48 (local.get $q)))))
        (local.set $even (i32x4.add (local.get $even)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=32 (local.get $digits)) (v128.load offset=64 (local.get $q)))))
        (local.set $odd (i32x4.add (local.get $odd)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=40 (local.get $digits)) (v128.load offset=80 (local.get $q)))))
        (local.set $even (i32x4.add (local.get $even)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=48 (local.get $digits)) (v128.load offset=96 (local.get $q)))))
        (local.set $odd (i32x4.add (local.get $odd)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=56 (local.get $digits)) (v128.load offset=112 (local.get $q)))))
        (local.set $sum (f32x4.add (local.get $sum)
          (f32x4.mul
            (v128.load32_splat (local.get $scale))
            (f32x4.convert_i32x4_s (i32x4.add (local.get $even) (local.get $odd))))))
        (local.set $scale (i32.add (local.get $scale) (i32.const 4)))
        (local.set $digits (i32.add (local.get $digits) (i32.const 64)))
        (local.set $q (i32.add (local.get $q) (i32.const 128)))
        (br_if $each (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
      (f32.store (local.get $out)
        (f32.add
          (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum)))
          (f32.add (f32x4.extract_lane 2 (local.get $sum)) (f32x4.extract_lane 3 (local.get $sum)))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      ;; The next sketch begins where the digits of this one end.
      (local.set $row (local.get $digits))
      (br_if $rows (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))))
