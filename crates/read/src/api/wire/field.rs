//! Properties as received: known, absent, or of another shape than the contract. Reading one never
//! fails because of its type, so that a bad record costs neither its page nor a second pass.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A property of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Field<T> {
    /// Left out or sent as null, which mean the same.
    #[default]
    Absent,
    Known(T),
    /// A description of the value found in place of a `T`.
    Wrong(Cow<'static, str>),
}

/// A fault in one property of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldFault {
    pub(super) field: String,
    pub(super) problem: String,
}

/// Conversion from a JSON value. Each form that a type does not accept is an error that describes
/// the kind of value found, never the value itself.
pub(super) trait Shape<'de>: Sized {
    /// Completes "expected …".
    const EXPECTED: &'static str;

    fn text(_text: &str) -> Result<Self, Cow<'static, str>> {
        Err("text".into())
    }

    fn integer(_number: i64) -> Result<Self, Cow<'static, str>> {
        Err("a number".into())
    }

    fn boolean(_value: bool) -> Result<Self, Cow<'static, str>> {
        Err("true or false".into())
    }

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Field<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Field::Wrong("a list".into()))
    }

    fn object<A: MapAccess<'de>>(mut object: A) -> Result<Field<Self>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Field::Wrong("an object".into()))
    }
}

impl<T> Field<T> {
    /// The value, `None` when it is absent.
    pub(super) fn optional<'de>(self, field: &str) -> Result<Option<T>, FieldFault>
    where
        T: Shape<'de>,
    {
        match self {
            Self::Absent => Ok(None),
            Self::Known(value) => Ok(Some(value)),
            Self::Wrong(found) => Err(FieldFault::new::<T>(field, &found)),
        }
    }

    /// The value; an error when it is absent.
    pub(super) fn required<'de>(self, field: &str) -> Result<T, FieldFault>
    where
        T: Shape<'de>,
    {
        match self {
            Self::Absent => Err(FieldFault::new::<T>(field, "nothing")),
            Self::Known(value) => Ok(value),
            Self::Wrong(found) => Err(FieldFault::new::<T>(field, &found)),
        }
    }

    /// The value when it is known; for fields that are only shown.
    pub(super) fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent | Self::Wrong(_) => None,
        }
    }
}

impl FieldFault {
    /// Reports that `field` should have contained a `T`.
    pub(super) fn new<'de, T: Shape<'de>>(field: &str, found: &str) -> Self {
        let problem = format!("expected {}, found {found}", T::EXPECTED);
        Self { field: field.to_owned(), problem }
    }
}

impl<'de, T: Shape<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldVisitor(PhantomData))
    }
}

struct FieldVisitor<T>(PhantomData<T>);

impl<T> FieldVisitor<T> {
    fn field(result: Result<T, Cow<'static, str>>) -> Field<T> {
        result.map_or_else(Field::Wrong, Field::Known)
    }
}

impl<'de, T: Shape<'de>> Visitor<'de> for FieldVisitor<T> {
    type Value = Field<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(T::EXPECTED)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Field::Absent)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Self::field(T::boolean(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Self::field(T::integer(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(match i64::try_from(value) {
            Ok(value) => Self::field(T::integer(value)),
            Err(_) => Field::Wrong("a number beyond 64 bits".into()),
        })
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        // The parser takes "-0" for a floating point number.
        if value.to_bits() == (-0.0_f64).to_bits() {
            return Ok(Self::field(T::integer(0)));
        }
        Ok(Field::Wrong("a number with decimals or beyond 64 bits".into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Self::field(T::text(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        T::list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        T::object(object)
    }
}

/// A page has at most a hundred records, and a record a few elements of a kind. An empty element
/// takes one byte to send and hundreds to store, so a longer list is refused.
const LIST_LIMIT: usize = 10_000;

/// A list whose elements may each be anything.
impl<'de, T: Shape<'de>> Shape<'de> for Vec<Field<T>> {
    const EXPECTED: &'static str = "a list";

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Field<Self>, A::Error> {
        let mut elements = Self::new();
        while let Some(element) = list.next_element()? {
            if elements.len() == LIST_LIMIT {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(Field::Wrong("more than 10000 elements".into()));
            }
            elements.push(element);
        }
        Ok(Field::Known(elements))
    }
}

/// Makes structs with a derived `Deserialize` the shape of a JSON object.
macro_rules! object_shapes {
    ($($name:ident),+ $(,)?) => {$(
        impl<'de> crate::api::wire::field::Shape<'de> for $name {
            const EXPECTED: &'static str = "an object";

            fn object<A: serde::de::MapAccess<'de>>(
                object: A,
            ) -> Result<crate::api::wire::field::Field<Self>, A::Error> {
                let object = serde::de::value::MapAccessDeserializer::new(object);
                serde::Deserialize::deserialize(object).map(crate::api::wire::field::Field::Known)
            }
        }
    )+};
}

pub(super) use object_shapes;
