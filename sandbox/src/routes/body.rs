//! Reads request bodies and names every invalid property by its path, all of them at once. Messages
//! never repeat the sent value, which may be an account number.

use std::cell::RefCell;

use serde_json::{Map, Number, Value};

use crate::wire::{FieldError, Problem};

/// The errors found so far.
pub type Errors = RefCell<Vec<FieldError>>;

/// An object of a body, with its path in the body.
pub struct Fields<'b> {
    map: &'b Map<String, Value>,
    path: String,
    errors: &'b Errors,
}

impl<'b> Fields<'b> {
    /// The body as an object.
    pub fn of_body(body: &'b Value, errors: &'b Errors) -> Result<Self, Problem> {
        let Some(map) = body.as_object() else {
            let message = "An object is needed".to_owned();
            return Err(Problem::bad_request(FieldError::new("body", "not an object", message)));
        };
        Ok(Self { map, path: String::new(), errors })
    }

    /// The path of a property.
    pub fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Notes that a property is not valid.
    pub fn wrong(&self, name: &str, detail: &'static str, needed: &str) {
        let error = FieldError::new(&self.path(name), detail, format!("{needed} is needed"));
        self.errors.borrow_mut().push(error);
    }

    /// The properties as sent.
    pub fn as_map(&self) -> &'b Map<String, Value> {
        self.map
    }

    /// Whether the property was sent.
    pub fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// An optional text of `low` to `high` characters.
    pub fn text(&self, name: &str, (low, high): (usize, usize)) -> Option<&'b str> {
        let value = self.map.get(name)?;
        let text = value.as_str().filter(|text| (low..=high).contains(&text.chars().count()));
        if text.is_none() {
            self.wrong(name, "not such a text", &format!("A text of {low} to {high} characters"));
        }
        text
    }

    /// A required text.
    pub fn needed_text(&self, name: &str, length: (usize, usize)) -> Option<&'b str> {
        self.needed(name, "A text")?;
        self.text(name, length)
    }

    /// A required text of digits.
    pub fn needed_digits(&self, name: &str, length: (usize, usize)) -> Option<&'b str> {
        let text = self.needed_text(name, length)?;
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(text);
        }
        self.wrong(name, "not digits", "A text of digits");
        None
    }

    /// An optional word out of `allowed`.
    pub fn choice(&self, name: &str, allowed: &[&str]) -> Option<&'b str> {
        let value = self.map.get(name)?;
        let text = value.as_str().filter(|text| allowed.contains(text));
        if text.is_none() {
            let needed = format!("One of {}", allowed.join(", "));
            self.wrong(name, "not an allowed value", &needed);
        }
        text
    }

    /// A required word out of `allowed`.
    pub fn needed_choice(&self, name: &str, allowed: &[&str]) -> Option<&'b str> {
        self.needed(name, &format!("One of {}", allowed.join(", ")))?;
        self.choice(name, allowed)
    }

    /// A required integer.
    pub fn needed_number(&self, name: &str) -> Option<i64> {
        let value = self.needed(name, "A whole number")?;
        let number = value.as_number().and_then(whole);
        if number.is_none() {
            self.wrong(name, "not a number", "A whole number of 64 bits");
        }
        number
    }

    /// A required number above zero.
    pub fn needed_positive(&self, name: &str) -> Option<i64> {
        let number = self.needed_number(name)?;
        if number > 0 {
            return Some(number);
        }
        self.wrong(name, "out of range", "A number above zero");
        None
    }

    /// An optional boolean.
    pub fn flag(&self, name: &str) -> Option<bool> {
        let value = self.map.get(name)?;
        if !value.is_boolean() {
            self.wrong(name, "not true or false", "true or false");
        }
        value.as_bool()
    }

    /// An optional object.
    pub fn object(&self, name: &str) -> Option<Fields<'b>> {
        let value = self.map.get(name)?;
        let Some(map) = value.as_object() else {
            self.wrong(name, "not an object", "An object");
            return None;
        };
        Some(Fields { map, path: self.path(name), errors: self.errors })
    }

    /// A required object.
    pub fn needed_object(&self, name: &str) -> Option<Fields<'b>> {
        self.needed(name, "An object")?;
        self.object(name)
    }

    /// An optional list of objects, or null where `takes_null`.
    pub fn objects(&self, name: &str, takes_null: bool) -> Vec<Fields<'b>> {
        let Some(value) = self.map.get(name).filter(|value| !(takes_null && value.is_null()))
        else {
            return Vec::new();
        };
        let Some(list) = value.as_array() else {
            self.wrong(name, "not a list", "A list");
            return Vec::new();
        };
        let mut found = Vec::new();
        for (place, entry) in list.iter().enumerate() {
            let path = format!("{name}[{place}]");
            match entry.as_object() {
                Some(map) => {
                    found.push(Fields { map, path: self.path(&path), errors: self.errors });
                }
                None => self.wrong(&path, "not an object", "An object"),
            }
        }
        found
    }

    fn needed(&self, name: &str, what: &str) -> Option<&'b Value> {
        let value = self.map.get(name);
        if value.is_none() {
            self.wrong(name, "missing", what);
        }
        value
    }
}

/// An integer, also in the form 12.0: the contract does not distinguish them.
fn whole(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| number.to_string().strip_suffix(".0")?.parse().ok())
}

/// All errors as one problem, else `read`, which is present when there are no errors.
pub fn finish<T>(read: Option<T>, errors: Errors) -> Result<T, Problem> {
    match (read, errors.into_inner()) {
        (Some(read), errors) if errors.is_empty() => Ok(read),
        (_, errors) => Err(Problem::bad_requests(errors)),
    }
}
