//! Which fields the headers of a Parquet file have, and of which type, by the format's own definition
//! (`parquet.thrift`, version 2.12). Fields that are not here are read by nobody.

/// The fields of a struct, by number.
pub(super) struct Layout(pub(super) &'static [(i16, Shape)]);

/// The type of a field.
pub(super) enum Shape {
    Truth,
    /// A number or bytes, by Thrift's number of the type.
    Plain(u8),
    Struct(&'static Layout),
    List(&'static Shape),
}

const I8: Shape = Shape::Plain(3);
const I16: Shape = Shape::Plain(4);
const I32: Shape = Shape::Plain(5);
const I64: Shape = Shape::Plain(6);
const DOUBLE: Shape = Shape::Plain(7);
const BYTES: Shape = Shape::Plain(8);
const TRUTH: Shape = Shape::Truth;

/// Before every page.
pub(super) static PAGE: Layout = Layout(&[
    (1, I32),
    (2, I32),
    (3, I32),
    (4, I32),
    (5, Shape::Struct(&DATA_PAGE)),
    (6, Shape::Struct(&EMPTY)),
    (7, Shape::Struct(&DICTIONARY_PAGE)),
    (8, Shape::Struct(&DATA_PAGE_2)),
]);

static DATA_PAGE: Layout =
    Layout(&[(1, I32), (2, I32), (3, I32), (4, I32), (5, Shape::Struct(&STATISTICS))]);

static DICTIONARY_PAGE: Layout = Layout(&[(1, I32), (2, I32), (3, TRUTH)]);

static DATA_PAGE_2: Layout = Layout(&[
    (1, I32),
    (2, I32),
    (3, I32),
    (4, I32),
    (5, I32),
    (6, I32),
    (7, TRUTH),
    (8, Shape::Struct(&STATISTICS)),
]);

static STATISTICS: Layout = Layout(&[
    (1, BYTES),
    (2, BYTES),
    (3, I64),
    (4, I64),
    (5, BYTES),
    (6, BYTES),
    (7, TRUTH),
    (8, TRUTH),
]);

/// At the end of the file.
pub(super) static FILE: Layout = Layout(&[
    (1, I32),
    (2, Shape::List(&Shape::Struct(&ELEMENT))),
    (3, I64),
    (4, Shape::List(&Shape::Struct(&GROUP))),
    (5, Shape::List(&Shape::Struct(&KEY_VALUE))),
    (6, BYTES),
    (7, Shape::List(&Shape::Struct(&ORDER))),
    (9, BYTES),
]);

static ELEMENT: Layout = Layout(&[
    (1, I32),
    (2, I32),
    (3, I32),
    (4, BYTES),
    (5, I32),
    (6, I32),
    (7, I32),
    (8, I32),
    (9, I32),
    (10, Shape::Struct(&LOGICAL)),
]);

static LOGICAL: Layout = Layout(&[
    (1, Shape::Struct(&EMPTY)),
    (2, Shape::Struct(&EMPTY)),
    (3, Shape::Struct(&EMPTY)),
    (4, Shape::Struct(&EMPTY)),
    (5, Shape::Struct(&DECIMAL)),
    (6, Shape::Struct(&EMPTY)),
    (7, Shape::Struct(&TIME)),
    (8, Shape::Struct(&TIME)),
    (10, Shape::Struct(&INTEGER)),
    (11, Shape::Struct(&EMPTY)),
    (12, Shape::Struct(&EMPTY)),
    (13, Shape::Struct(&EMPTY)),
    (14, Shape::Struct(&EMPTY)),
    (15, Shape::Struct(&EMPTY)),
    (16, Shape::Struct(&VARIANT)),
    (17, Shape::Struct(&GEOMETRY)),
    (18, Shape::Struct(&GEOGRAPHY)),
]);

static EMPTY: Layout = Layout(&[]);
static DECIMAL: Layout = Layout(&[(1, I32), (2, I32)]);
static TIME: Layout = Layout(&[(1, TRUTH), (2, Shape::Struct(&UNIT))]);
static UNIT: Layout =
    Layout(&[(1, Shape::Struct(&EMPTY)), (2, Shape::Struct(&EMPTY)), (3, Shape::Struct(&EMPTY))]);
static INTEGER: Layout = Layout(&[(1, I8), (2, TRUTH)]);
static VARIANT: Layout = Layout(&[(1, I8)]);
static GEOMETRY: Layout = Layout(&[(1, BYTES)]);
static GEOGRAPHY: Layout = Layout(&[(1, BYTES), (2, I32)]);
static KEY_VALUE: Layout = Layout(&[(1, BYTES), (2, BYTES)]);
static ORDER: Layout = Layout(&[(1, Shape::Struct(&EMPTY)), (2, Shape::Struct(&EMPTY))]);

static GROUP: Layout = Layout(&[
    (1, Shape::List(&Shape::Struct(&CHUNK))),
    (2, I64),
    (3, I64),
    (4, Shape::List(&Shape::Struct(&SORTING))),
    (5, I64),
    (6, I64),
    (7, I16),
]);

static SORTING: Layout = Layout(&[(1, I32), (2, TRUTH), (3, TRUTH)]);

static CHUNK: Layout = Layout(&[
    (1, BYTES),
    (2, I64),
    (3, Shape::Struct(&COLUMN)),
    (4, I64),
    (5, I32),
    (6, I64),
    (7, I32),
    (9, BYTES),
]);

static COLUMN: Layout = Layout(&[
    (1, I32),
    (2, Shape::List(&I32)),
    (3, Shape::List(&BYTES)),
    (4, I32),
    (5, I64),
    (6, I64),
    (7, I64),
    (8, Shape::List(&Shape::Struct(&KEY_VALUE))),
    (9, I64),
    (10, I64),
    (11, I64),
    (12, Shape::Struct(&STATISTICS)),
    (13, Shape::List(&Shape::Struct(&ENCODING))),
    (14, I64),
    (15, I32),
    (16, Shape::Struct(&SIZES)),
    (17, Shape::Struct(&GEOSPATIAL)),
]);

static ENCODING: Layout = Layout(&[(1, I32), (2, I32), (3, I32)]);
static SIZES: Layout = Layout(&[(1, I64), (2, Shape::List(&I64)), (3, Shape::List(&I64))]);
static GEOSPATIAL: Layout = Layout(&[(1, Shape::Struct(&BOX)), (2, Shape::List(&I32))]);
static BOX: Layout = Layout(&[
    (1, DOUBLE),
    (2, DOUBLE),
    (3, DOUBLE),
    (4, DOUBLE),
    (5, DOUBLE),
    (6, DOUBLE),
    (7, DOUBLE),
    (8, DOUBLE),
]);
